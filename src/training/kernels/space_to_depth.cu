// Turns blocks of 2×2 pixels into the channels of one pixel: a 7×7 convolution with stride 2 over
// three channels becomes a 4×4 one over twelve, which tensor cores compute several times faster.
#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"

namespace tacho::kernels {
namespace {

constexpr int kThreads = 256;

template <class T>
__global__ void __launch_bounds__(kThreads)
    gather_blocks(SpaceToDepth p, const T* __restrict__ x, T* __restrict__ y) {
  const auto out_height = static_cast<int>(p.height / 2) + kBlocksBefore + kBlocksAfter;
  const auto out_width = static_cast<int>(p.width / 2) + kBlocksBefore + kBlocksAfter;
  const int64_t index = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  if (index >= p.images * out_height * out_width) return;
  const auto column = static_cast<int>(index % out_width) - kBlocksBefore;
  const auto row = static_cast<int>(index / out_width % out_height) - kBlocksBefore;
  const int64_t image = index / out_width / out_height;
  const bool inside = row >= 0 && row < p.height / 2 && column >= 0 && column < p.width / 2;
  alignas(16) T block[kBlockChannels] = {};
  if (inside) {
    const T* from =
        x + image * p.image_stride + 2 * row * p.row_stride + 2 * column * p.column_stride;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
#pragma unroll
      for (int c = 0; c < kPixelChannels; ++c) {
        block[i * kPixelChannels + c] =
            from[i / 2 * p.row_stride + i % 2 * p.column_stride + c * p.channel_stride];
      }
    }
  }
  constexpr int kPacks = kBlockChannels * sizeof(T) / sizeof(RawPack);
  auto* to = reinterpret_cast<RawPack*>(y + index * kBlockChannels);
#pragma unroll
  for (int i = 0; i < kPacks; ++i) to[i] = reinterpret_cast<const RawPack*>(block)[i];
}

}  // namespace

void space_to_depth(const SpaceToDepth& p, const void* x, void* y, Stream stream) {
  const int64_t blocks_down = p.height / 2 + kBlocksBefore + kBlocksAfter;
  const int64_t blocks_across = p.width / 2 + kBlocksBefore + kBlocksAfter;
  const int64_t threads = p.images * blocks_down * blocks_across;
  const auto grid = static_cast<unsigned>((threads + kThreads - 1) / kThreads);
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(gather_blocks<T>, {grid, kThreads, 0, stream}, p, static_cast<const T*>(x),
           static_cast<T*>(y));
  });
}

}  // namespace tacho::kernels
