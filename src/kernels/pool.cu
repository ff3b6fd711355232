// Max-pooling of N×H×W×C: the place of each maximum is a byte, and the way back is a gather, so
// that it needs neither atomics nor a cleared target.
#include "kernels/kernels.h"
#include "kernels/rows.cuh"

namespace tacho::kernels {
namespace {

constexpr int kThreads = 256;

template <int kWidth>
struct Bytes;
template <>
struct Bytes<4> {
  using Raw = uint32_t;
};
template <>
struct Bytes<8> {
  using Raw = uint2;
};

template <int kWidth>
__device__ void store_bytes(uint8_t* to, const int* from) {
  typename Bytes<kWidth>::Raw raw;
  auto* bytes = reinterpret_cast<uint8_t*>(&raw);
#pragma unroll
  for (int i = 0; i < kWidth; ++i) bytes[i] = static_cast<uint8_t>(from[i]);
  *reinterpret_cast<typename Bytes<kWidth>::Raw*>(to) = raw;
}

// A thread's place in N×H×W×(C / width).
struct Place {
  int64_t image, y, x, channel;
  __device__ Place(int64_t index, int64_t height, int64_t width, int64_t packs, int pack) {
    channel = index % packs * pack;
    index /= packs;
    x = index % width;
    index /= width;
    y = index % height;
    image = index / height;
  }
};

template <class T>
__global__ void __launch_bounds__(kThreads)
    pool_forward(Pool p, const T* __restrict__ x, T* __restrict__ y, uint8_t* __restrict__ places) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t packs = p.channels / W;
  const int64_t index = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (index >= p.images * p.out_height * p.out_width * packs) return;
  const Place out(index, p.out_height, p.out_width, packs, W);
  float best[W];
  int where[W];
#pragma unroll
  for (int i = 0; i < W; ++i) {
    best[i] = -INFINITY;
    where[i] = -1;
  }
  for (int ky = 0; ky < p.kernel; ++ky) {
    const int64_t iy = out.y * p.stride - p.padding + ky;
    if (iy < 0 || iy >= p.height) continue;
    for (int kx = 0; kx < p.kernel; ++kx) {
      const int64_t ix = out.x * p.stride - p.padding + kx;
      if (ix < 0 || ix >= p.width) continue;
      float v[W];
      load_pack(x + ((out.image * p.height + iy) * p.width + ix) * p.channels + out.channel, v);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        // The first of equals wins, and not-a-number is never overlooked.
        if (where[i] < 0 || v[i] > best[i] || isnan(v[i])) {
          best[i] = v[i];
          where[i] = ky * p.kernel + kx;
        }
      }
    }
  }
  store_pack(y + index * W, best);
  store_bytes<W>(places + index * W, where);
}

template <class T>
__global__ void __launch_bounds__(kThreads)
    pool_backward(Pool p, const T* __restrict__ dy, const uint8_t* __restrict__ places,
                  T* __restrict__ dx) {
  constexpr int W = Pack<T>::kWidth;
  const int64_t packs = p.channels / W;
  const int64_t index = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (index >= p.images * p.height * p.width * packs) return;
  const Place in(index, p.height, p.width, packs, W);
  float sum[W] = {};
  const int64_t bottom = in.y + p.padding;
  const int64_t right = in.x + p.padding;
  const int64_t first_y = bottom < p.kernel ? 0 : (bottom - p.kernel) / p.stride + 1;
  const int64_t first_x = right < p.kernel ? 0 : (right - p.kernel) / p.stride + 1;
  for (int64_t oy = first_y; oy <= bottom / p.stride && oy < p.out_height; ++oy) {
    for (int64_t ox = first_x; ox <= right / p.stride && ox < p.out_width; ++ox) {
      const int mine =
          static_cast<int>((bottom - oy * p.stride) * p.kernel + right - ox * p.stride);
      const int64_t at =
          ((in.image * p.out_height + oy) * p.out_width + ox) * p.channels + in.channel;
      const auto raw = *reinterpret_cast<const typename Bytes<W>::Raw*>(places + at);
      const auto* bytes = reinterpret_cast<const uint8_t*>(&raw);
      float g[W];
      load_pack(dy + at, g);
#pragma unroll
      for (int i = 0; i < W; ++i) sum[i] += bytes[i] == mine ? g[i] : 0;
    }
  }
  store_pack(dx + index * W, sum);
}

unsigned blocks_for(int64_t images, int64_t height, int64_t width, int64_t channels, int pack) {
  const int64_t threads = images * height * width * (channels / pack);
  return static_cast<unsigned>((threads + kThreads - 1) / kThreads);
}

}  // namespace

void max_pool_forward(const Pool& p, const void* x, void* y, uint8_t* places, Stream stream) {
  const unsigned blocks =
      blocks_for(p.images, p.out_height, p.out_width, p.channels, pack_width(p.type));
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    pool_forward<T>
        <<<blocks, kThreads, 0, stream>>>(p, static_cast<const T*>(x), static_cast<T*>(y), places);
  });
}

void max_pool_backward(const Pool& p, const void* dy, const uint8_t* places, void* dx,
                       Stream stream) {
  const unsigned blocks = blocks_for(p.images, p.height, p.width, p.channels, pack_width(p.type));
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    pool_backward<T><<<blocks, kThreads, 0, stream>>>(p, static_cast<const T*>(dy), places,
                                                      static_cast<T*>(dx));
  });
}

}  // namespace tacho::kernels
