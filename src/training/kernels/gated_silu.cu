// silu(gate)·up in one pass forward and one backward.
#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"

namespace tacho::kernels {
namespace {

template <class T>
__device__ float sigmoid(float x) {
  const float more = 1 + exp_from<T>(0, x);
  return sizeof(T) == 4 ? 1 / more : one_over(more);
}

// The first pack of this thread, in numbers; `count` is a multiple of the pack width.
template <class T>
__device__ int64_t place() {
  return (static_cast<int64_t>(blockIdx.x) * kRowThreads + threadIdx.x) * Pack<T>::kWidth;
}

template <class T>
__global__ void __launch_bounds__(kRowThreads)
    gated(int64_t count, const T* __restrict__ gate, const T* __restrict__ up, T* __restrict__ y) {
  const int64_t at = place<T>();
  if (at >= count) return;
  float g[Pack<T>::kWidth];
  float u[Pack<T>::kWidth];
  load_pack(gate + at, g);
  load_pack(up + at, u);
#pragma unroll
  for (int i = 0; i < Pack<T>::kWidth; ++i) g[i] *= sigmoid<T>(g[i]) * u[i];
  store_pack(y + at, g);
}

template <class T>
__global__ void __launch_bounds__(kRowThreads)
    gated_back(int64_t count, const T* __restrict__ dy, const T* __restrict__ gate,
               const T* __restrict__ up, T* __restrict__ dgate, T* __restrict__ dup) {
  const int64_t at = place<T>();
  if (at >= count) return;
  float d[Pack<T>::kWidth];
  float g[Pack<T>::kWidth];
  float u[Pack<T>::kWidth];
  load_pack(dy + at, d);
  load_pack(gate + at, g);
  load_pack(up + at, u);
#pragma unroll
  for (int i = 0; i < Pack<T>::kWidth; ++i) {
    const float share = sigmoid<T>(g[i]);
    u[i] *= d[i] * share * (1 + g[i] * (1 - share));
    g[i] *= d[i] * share;
  }
  store_pack(dgate + at, u);
  store_pack(dup + at, g);
}

unsigned blocks_for(const Rows& shape) {
  const int64_t each = static_cast<int64_t>(kRowThreads) * pack_width(shape.type);
  return static_cast<unsigned>((shape.rows * shape.channels + each - 1) / each);
}

}  // namespace

void gated_silu_forward(const Rows& shape, const void* gate, const void* up, void* y,
                        Stream stream) {
  with_type(shape.type, [&](auto example) {
    using T = decltype(example);
    launch(gated<T>, {blocks_for(shape), kRowThreads, 0, stream}, shape.rows * shape.channels,
           static_cast<const T*>(gate), static_cast<const T*>(up), static_cast<T*>(y));
  });
}

void gated_silu_backward(const Rows& shape, const void* dy, const void* gate, const void* up,
                         void* dgate, void* dup, Stream stream) {
  with_type(shape.type, [&](auto example) {
    using T = decltype(example);
    launch(gated_back<T>, {blocks_for(shape), kRowThreads, 0, stream}, shape.rows * shape.channels,
           static_cast<const T*>(dy), static_cast<const T*>(gate), static_cast<const T*>(up),
           static_cast<T*>(dgate), static_cast<T*>(dup));
  });
}

}  // namespace tacho::kernels
