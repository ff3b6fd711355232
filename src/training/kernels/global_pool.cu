// Mean of each channel of an image, forward and backward. A block handles 32 packs of channels of
// one image: a warp reads or writes them at one position, 512 contiguous bytes, and the warps take
// the positions in turn.
#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"

namespace tacho::kernels {
namespace {

constexpr int kPacks = 32;
// Most models end with 7×7 positions: each warp then has seven, all in flight at once. One thread
// for all 49 positions of a pack reached half the rate of a copy.
constexpr int kWarps = 7;
constexpr int kAhead = 7;

__host__ __device__ unsigned blocks_of_picture(const GlobalPool& p, int pack_width) {
  return static_cast<unsigned>((p.channels / pack_width + kPacks - 1) / kPacks);
}

// The W channels of its block's image that a thread handles.
template <int W>
struct OwnPack {
  // 64-bit division would take a fifth of the kernel's time.
  __device__ explicit OwnPack(const GlobalPool& p) {
    const unsigned each = blocks_of_picture(p, W);
    const int64_t picture = blockIdx.x / each;
    const int64_t channel = (blockIdx.x % each * kPacks + threadIdx.x) * W;
    there = channel < p.channels;
    first = picture * p.places * p.channels + channel;
    mean = picture * p.channels + channel;
  }

  bool there;
  // Offsets in numbers: of the first position, and among the means.
  int64_t first;
  int64_t mean;
};

template <class T>
__global__ void __launch_bounds__(kPacks* kWarps)
    mean_of_places(const GlobalPool p, const T* __restrict__ x, T* __restrict__ y) {
  constexpr int W = Pack<T>::kWidth;
  __shared__ float parts[kWarps][W][kPacks];
  const OwnPack<W> own(p);
  float sums[W] = {};
  for (int64_t begin = threadIdx.y; own.there && begin < p.places; begin += kWarps * kAhead) {
    RawPack ahead[kAhead];
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      const int64_t place = begin + u * kWarps;
      ahead[u] = place < p.places ? load_raw(x + own.first + place * p.channels) : RawPack{};
    }
#pragma unroll
    for (int u = 0; u < kAhead; ++u) {
      float v[W];
      widen<T>(ahead[u], v);
#pragma unroll
      for (int n = 0; n < W; ++n) sums[n] += v[n];
    }
  }
#pragma unroll
  for (int n = 0; n < W; ++n) parts[threadIdx.y][n][threadIdx.x] = sums[n];
  __syncthreads();
  if (threadIdx.y > 0 || !own.there) return;
#pragma unroll
  for (int n = 0; n < W; ++n) {
#pragma unroll
    for (int warp = 1; warp < kWarps; ++warp) sums[n] += parts[warp][n][threadIdx.x];
    sums[n] /= static_cast<float>(p.places);
  }
  store_whole(y + own.mean, sums);
}

template <class T>
__global__ void __launch_bounds__(kPacks* kWarps)
    spread_over_places(const GlobalPool p, const T* __restrict__ dy, T* __restrict__ dx) {
  constexpr int W = Pack<T>::kWidth;
  const OwnPack<W> own(p);
  if (!own.there) return;
  float v[W];
  load_pack(dy + own.mean, v);
#pragma unroll
  for (int n = 0; n < W; ++n) v[n] /= static_cast<float>(p.places);
  for (int64_t place = threadIdx.y; place < p.places; place += kWarps) {
    store_whole(dx + own.first + place * p.channels, v);
  }
}

unsigned blocks_of(const GlobalPool& p) {
  return static_cast<unsigned>(p.images) * blocks_of_picture(p, pack_width(p.type));
}

}  // namespace

void global_pool_forward(const GlobalPool& p, const void* x, void* y, Stream stream) {
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(mean_of_places<T>, {blocks_of(p), dim3(kPacks, kWarps), 0, stream}, p,
           static_cast<const T*>(x), static_cast<T*>(y));
  });
}

void global_pool_backward(const GlobalPool& p, const void* dy, void* dx, Stream stream) {
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(spread_over_places<T>, {blocks_of(p), dim3(kPacks, kWarps), 0, stream}, p,
           static_cast<const T*>(dy), static_cast<T*>(dx));
  });
}

}  // namespace tacho::kernels
