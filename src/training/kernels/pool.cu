// Max-pooling of N×H×W×C: the position of each maximum is stored in a byte and backward is a
// gather, so that it needs neither atomics nor a zeroed target.
#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"
#include "training/kernels/stem_pool.h"

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

// A thread's position in N×H×W×(C / width). A block stays within one row of one image, so that its
// threads differ only in their position in that row.
struct Place {
  int image, y, x, channel;
  bool inside;
  __device__ Place(int height, int width, int packs, int pack) {
    const int blocks_a_row = (width * packs + kThreads - 1) / kThreads;
    const int row = static_cast<int>(blockIdx.x) / blocks_a_row;
    const int in_row =
        static_cast<int>(blockIdx.x) % blocks_a_row * kThreads + static_cast<int>(threadIdx.x);
    x = in_row / packs;
    channel = in_row % packs * pack;
    y = row % height;
    image = row / height;
    inside = x < width;
  }
  [[nodiscard]] __device__ int64_t at(int64_t height, int64_t width, int64_t channels) const {
    return at(y, x, height, width, channels);
  }
  [[nodiscard]] __device__ int64_t at(int64_t row, int64_t column, int64_t height, int64_t width,
                                      int64_t channels) const {
    return ((image * height + row) * width + column) * channels + channel;
  }
};

unsigned blocks_for(int64_t images, int64_t height, int64_t width, int64_t channels, int pack) {
  const int64_t a_row = (width * (channels / pack) + kThreads - 1) / kThreads;
  return static_cast<unsigned>(images * height * a_row);
}

__device__ int clamped(int value, int size) { return min(max(value, 0), size - 1); }

// kKernel is the side of the window; 0: given by the pool. Pixels outside the image are loaded from
// its edge and ignored, so that the whole window is in flight at once.
template <class T, int kKernel>
__global__ void __launch_bounds__(kThreads)
    pool_forward(Pool p, const T* __restrict__ x, T* __restrict__ y, uint8_t* __restrict__ places) {
  constexpr int W = Pack<T>::kWidth;
  const int height = static_cast<int>(p.height);
  const int width = static_cast<int>(p.width);
  const Place out(static_cast<int>(p.out_height), static_cast<int>(p.out_width),
                  static_cast<int>(p.channels) / W, W);
  if (!out.inside) return;
  float best[W];
  int where[W];
#pragma unroll
  for (int i = 0; i < W; ++i) {
    best[i] = -INFINITY;
    where[i] = -1;
  }
  const int top = out.y * p.stride - p.padding;
  const int left = out.x * p.stride - p.padding;
  const auto look = [&](const RawPack& raw, int ky, int kx, int side) {
    if (top + ky < 0 || top + ky >= height || left + kx < 0 || left + kx >= width) return;
    float v[W];
    Pack<T>::unpack(raw, v);
#pragma unroll
    for (int i = 0; i < W; ++i) {
      // The first of equal values wins, and NaN always does.
      if (where[i] < 0 || v[i] > best[i] || isnan(v[i])) {
        best[i] = v[i];
        where[i] = ky * side + kx;
      }
    }
  };
  const auto load = [&](int ky, int kx) {
    return load_raw(x + out.at(clamped(top + ky, height), clamped(left + kx, width), height, width,
                               p.channels));
  };
  if constexpr (kKernel > 0) {
    RawPack window[kKernel * kKernel];
#pragma unroll
    for (int k = 0; k < kKernel * kKernel; ++k) window[k] = load(k / kKernel, k % kKernel);
#pragma unroll
    for (int k = 0; k < kKernel * kKernel; ++k) look(window[k], k / kKernel, k % kKernel, kKernel);
  } else {
    for (int ky = 0; ky < p.kernel; ++ky) {
      for (int kx = 0; kx < p.kernel; ++kx) look(load(ky, kx), ky, kx, p.kernel);
    }
  }
  const int64_t at = out.at(p.out_height, p.out_width, p.channels);
  store_pack(y + at, best);
  store_bytes<W>(places + at, where);
}

// kWindows is the number of windows per dimension that may contain a number; 0: given by the pool.
template <class T, int kWindows>
__global__ void __launch_bounds__(kThreads)
    pool_backward(Pool p, const T* __restrict__ dy, const uint8_t* __restrict__ places,
                  T* __restrict__ dx) {
  constexpr int W = Pack<T>::kWidth;
  using RawBytes = typename Bytes<W>::Raw;
  const int out_height = static_cast<int>(p.out_height);
  const int out_width = static_cast<int>(p.out_width);
  const Place in(static_cast<int>(p.height), static_cast<int>(p.width),
                 static_cast<int>(p.channels) / W, W);
  if (!in.inside) return;
  float sum[W] = {};
  const int bottom = in.y + p.padding;
  const int right = in.x + p.padding;
  const int last_y = bottom / p.stride;
  const int last_x = right / p.stride;
  // Goes backwards from the last window that starts before this number.
  const auto at_window = [&](int back_y, int back_x) {
    return in.at(clamped(last_y - back_y, out_height), clamped(last_x - back_x, out_width),
                 out_height, out_width, p.channels);
  };
  const auto add = [&](const RawPack& raw, const RawBytes& where, int back_y, int back_x) {
    const int oy = last_y - back_y;
    const int ox = last_x - back_x;
    const int ky = bottom - oy * p.stride;
    const int kx = right - ox * p.stride;
    if (oy < 0 || oy >= out_height || ox < 0 || ox >= out_width) return;
    if (ky >= p.kernel || kx >= p.kernel) return;
    const int mine = ky * p.kernel + kx;
    const auto* bytes = reinterpret_cast<const uint8_t*>(&where);
    float g[W];
    Pack<T>::unpack(raw, g);
#pragma unroll
    for (int i = 0; i < W; ++i) sum[i] += bytes[i] == mine ? g[i] : 0;
  };
  const auto bytes_at = [&](int64_t at) { return *reinterpret_cast<const RawBytes*>(places + at); };
  if constexpr (kWindows > 0) {
    RawPack raw[kWindows * kWindows];
    RawBytes where[kWindows * kWindows];
#pragma unroll
    for (int k = 0; k < kWindows * kWindows; ++k) {
      const int64_t at = at_window(k / kWindows, k % kWindows);
      raw[k] = load_raw(dy + at);
      where[k] = bytes_at(at);
    }
#pragma unroll
    for (int k = 0; k < kWindows * kWindows; ++k) add(raw[k], where[k], k / kWindows, k % kWindows);
  } else {
    const int windows = (p.kernel + p.stride - 1) / p.stride;
    for (int back_y = 0; back_y < windows; ++back_y) {
      for (int back_x = 0; back_x < windows; ++back_x) {
        const int64_t at = at_window(back_y, back_x);
        add(load_raw(dy + at), bytes_at(at), back_y, back_x);
      }
    }
  }
  store_pack(dx + in.at(p.height, p.width, p.channels), sum);
}

}  // namespace

void max_pool_forward(const Pool& p, const void* x, void* y, uint8_t* places, Stream stream) {
  if (is_stem_pool(p)) return stem_pool_forward(p, x, y, places, stream);
  const unsigned blocks =
      blocks_for(p.images, p.out_height, p.out_width, p.channels, pack_width(p.type));
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    auto* kernel = p.kernel == 2   ? &pool_forward<T, 2>
                   : p.kernel == 3 ? &pool_forward<T, 3>
                                   : &pool_forward<T, 0>;
    launch(kernel, {blocks, kThreads, 0, stream}, p, static_cast<const T*>(x), static_cast<T*>(y),
           places);
  });
}

void max_pool_backward(const Pool& p, const void* dy, const uint8_t* places, void* dx,
                       Stream stream) {
  if (is_stem_pool(p)) return stem_pool_backward(p, dy, places, dx, stream);
  const unsigned blocks = blocks_for(p.images, p.height, p.width, p.channels, pack_width(p.type));
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    const int windows = (p.kernel + p.stride - 1) / p.stride;
    auto* kernel = windows == 1   ? &pool_backward<T, 1>
                   : windows == 2 ? &pool_backward<T, 2>
                                  : &pool_backward<T, 0>;
    launch(kernel, {blocks, kThreads, 0, stream}, p, static_cast<const T*>(dy), places,
           static_cast<T*>(dx));
  });
}

}  // namespace tacho::kernels
