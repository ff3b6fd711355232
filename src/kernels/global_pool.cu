// The mean of each channel of a picture: a thread has one pack of channels and walks over the
// places, several of them under way at once.
#include "kernels/kernels.h"
#include "kernels/rows.cuh"

namespace tacho::kernels {
namespace {

constexpr int kThreads = 256;
// Most models end with 7×7 places.
constexpr int kAhead = 7;

// A thread's pack of all pictures' channels.
__device__ int64_t own_pack() { return static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; }

// Where it is at the first place of its picture, in numbers; -1: there is none.
template <int W>
__device__ int64_t first_place(const GlobalPool& p) {
  const int64_t packs = p.channels / W;
  if (own_pack() >= p.images * packs) return -1;
  return own_pack() / packs * p.places * p.channels + own_pack() % packs * W;
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    mean_of_places(const GlobalPool p, const T* __restrict__ x, T* __restrict__ y) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t begin = first_place<W>(p);
  if (begin < 0) return;
  float sums[W] = {};
  const auto add = [&](const RawPack& raw) {
    float v[W];
    widen<T>(raw, v);
#pragma unroll
    for (int n = 0; n < W; ++n) sums[n] += v[n];
  };
  const auto load = [&](int64_t place) { return load_raw(x + begin + place * p.channels); };
  int64_t place = 0;
  for (; place + kAhead <= p.places; place += kAhead) {
    RawPack ahead[kAhead];
#pragma unroll
    for (int u = 0; u < kAhead; ++u) ahead[u] = load(place + u);
#pragma unroll
    for (int u = 0; u < kAhead; ++u) add(ahead[u]);
  }
  for (; place < p.places; ++place) add(load(place));
#pragma unroll
  for (int n = 0; n < W; ++n) sums[n] /= static_cast<float>(p.places);
  store_whole(y + own_pack() * W, sums);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    spread_over_places(const GlobalPool p, const T* __restrict__ dy, T* __restrict__ dx) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t begin = first_place<W>(p);
  if (begin < 0) return;
  float v[W];
  load_pack(dy + own_pack() * W, v);
#pragma unroll
  for (int n = 0; n < W; ++n) v[n] /= static_cast<float>(p.places);
  for (int64_t place = 0; place < p.places; ++place) {
    store_whole(dx + begin + place * p.channels, v);
  }
}

unsigned blocks_of(const GlobalPool& p) {
  const int64_t packs = p.images * p.channels / pack_width(p.type);
  return static_cast<unsigned>((packs + kThreads - 1) / kThreads);
}

}  // namespace

void global_pool_forward(const GlobalPool& p, const void* x, void* y, Stream stream) {
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    mean_of_places<T>
        <<<blocks_of(p), kThreads, 0, stream>>>(p, static_cast<const T*>(x), static_cast<T*>(y));
  });
}

void global_pool_backward(const GlobalPool& p, const void* dy, void* dx, Stream stream) {
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    spread_over_places<T>
        <<<blocks_of(p), kThreads, 0, stream>>>(p, static_cast<const T*>(dy), static_cast<T*>(dx));
  });
}

}  // namespace tacho::kernels
