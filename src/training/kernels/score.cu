// Adds up loss and hits of a batch on the device, so that the host can read them later.
#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::kernels {
namespace {

constexpr int kWarps = 8;

template <class T>
__global__ void __launch_bounds__(kWarps* kLanes)
    count(const T* __restrict__ logits, const int64_t* __restrict__ labels, int64_t rows,
          int64_t classes, const float* loss, double* totals, float* last) {
  if (blockIdx.x == 0 && threadIdx.x == 0) *last = *loss;
  const int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
  if (row >= rows) return;
  const int lane = threadIdx.x % kLanes;
  const T* scores = logits + row * classes;
  const int64_t label = labels[row];
  if (label < 0) return;
  const auto right = static_cast<float>(scores[label]);
  // Of equal scores the first class wins; a NaN score is never a hit.
  int ahead = 0;
  for (int64_t c = lane; c < classes; c += kLanes) {
    const auto score = static_cast<float>(scores[c]);
    ahead += !(score <= right) || (score == right && c < label) ? 1 : 0;
  }
#pragma unroll
  for (int step = kLanes / 2; step > 0; step /= 2) {
    ahead += __shfl_xor_sync(0xffffffffU, ahead, step);
  }
  if (lane != 0) return;
  atomicAdd(&totals[0], static_cast<double>(*loss));
  atomicAdd(&totals[3], 1.0);
  if (ahead < 1) atomicAdd(&totals[1], 1.0);
  if (ahead < 5) atomicAdd(&totals[2], 1.0);
}

}  // namespace

void score(const void* logits, DataType type, const int64_t* labels, int64_t rows, int64_t classes,
           const float* loss, double* totals, float* last, Stream stream) {
  const auto blocks = static_cast<unsigned>((rows + kWarps - 1) / kWarps);
  with_type(type, [&](auto example) {
    using T = decltype(example);
    launch(count<T>, {blocks, kWarps * kLanes, 0, stream}, static_cast<const T*>(logits), labels,
           rows, classes, loss, totals, last);
  });
}

}  // namespace tacho::kernels
