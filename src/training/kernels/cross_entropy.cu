// Cross entropy of logits. Forward stores the log-sum-exp of each row, so that backward needs one
// pass.
#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::kernels {
namespace {

constexpr int kWarps = 32;
// Up to this many logits one block is as fast as launching a second kernel.
constexpr int64_t kFewLogits = 1 << 14;

// Returns the loss of a warp's row.
template <class T>
__device__ float row_loss(const CrossEntropy& p, const T* logits, int64_t label, float* log_sum) {
  const int lane = threadIdx.x % kLanes;
  float largest = -INFINITY;
  float total = 0;
  for (int64_t c = lane; c < p.classes; c += kLanes) {
    const auto v = static_cast<float>(logits[c]);
    largest = fmaxf(largest, v);
    total += v;
  }
  largest = largest_across(largest);
  float exponentials = 0;
  for (int64_t c = lane; c < p.classes; c += kLanes) {
    exponentials += expf(static_cast<float>(logits[c]) - largest);
  }
  const float sum = largest + logf(add_across(exponentials));
  const float mean = add_across(total) / static_cast<float>(p.classes);
  if (lane == 0) *log_sum = sum;
  return (1 - p.smoothing) * (sum - static_cast<float>(logits[label])) + p.smoothing * (sum - mean);
}

template <class T>
__global__ void __launch_bounds__(kWarps* kLanes)
    row_losses(CrossEntropy p, const T* __restrict__ logits, const int64_t* __restrict__ labels,
               float* log_sums, float* losses) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kWarps;
  for (int64_t row = static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes; row < p.rows;
       row += stride) {
    const float loss = row_loss(p, logits + row * p.classes, labels[row], log_sums + row);
    if (threadIdx.x % kLanes == 0) losses[row] = loss;
  }
}

// One block adds up in a fixed order, so that equal logits always have the same loss.
__device__ void mean_of_rows(const float* losses, int64_t rows, float* mean) {
  __shared__ float shared[kWarps];
  float sum = 0;
  for (int64_t row = threadIdx.x; row < rows; row += kWarps * kLanes) sum += losses[row];
  sum = add_across(sum);
  if (threadIdx.x % kLanes == 0) shared[threadIdx.x / kLanes] = sum;
  __syncthreads();
  if (threadIdx.x >= kLanes) return;
  sum = add_across(shared[threadIdx.x]);
  if (threadIdx.x == 0) *mean = sum / static_cast<float>(rows);
}

template <class T>
__global__ void __launch_bounds__(kWarps* kLanes)
    whole_loss(CrossEntropy p, const T* __restrict__ logits, const int64_t* __restrict__ labels,
               float* log_sums, float* losses, float* mean) {
  for (int64_t row = threadIdx.x / kLanes; row < p.rows; row += kWarps) {
    const float loss = row_loss(p, logits + row * p.classes, labels[row], log_sums + row);
    if (threadIdx.x % kLanes == 0) losses[row] = loss;
  }
  __syncthreads();
  mean_of_rows(losses, p.rows, mean);
}

__global__ void __launch_bounds__(kWarps* kLanes)
    mean_loss(const float* losses, int64_t rows, float* mean) {
  mean_of_rows(losses, rows, mean);
}

template <class T>
__global__ void __launch_bounds__(kRowThreads)
    logits_back(CrossEntropy p, const T* __restrict__ logits, const int64_t* __restrict__ labels,
                const float* __restrict__ log_sums, const float* __restrict__ dloss,
                T* __restrict__ dlogits) {
  const int64_t at = static_cast<int64_t>(blockIdx.x) * kRowThreads + threadIdx.x;
  if (at >= p.rows * p.classes) return;
  const int64_t row = at / p.classes;
  const float wanted = p.smoothing / static_cast<float>(p.classes) +
                       (at - row * p.classes == labels[row] ? 1 - p.smoothing : 0);
  const float share = expf(static_cast<float>(logits[at]) - log_sums[row]);
  dlogits[at] = static_cast<T>((share - wanted) * (*dloss / static_cast<float>(p.rows)));
}

}  // namespace

void cross_entropy_forward(const CrossEntropy& p, const void* logits, const int64_t* labels,
                           float* log_sums, float* losses, float* loss, Stream stream) {
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    const auto* given = static_cast<const T*>(logits);
    if (p.rows * p.classes <= kFewLogits) {
      launch(whole_loss<T>, {1, kWarps * kLanes, 0, stream}, p, given, labels, log_sums, losses,
             loss);
      return;
    }
    const auto blocks = static_cast<unsigned>((p.rows + kWarps - 1) / kWarps);
    launch(row_losses<T>, {blocks, kWarps * kLanes, 0, stream}, p, given, labels, log_sums, losses);
    launch(mean_loss, {1, kWarps * kLanes, 0, stream}, losses, p.rows, loss);
  });
}

void cross_entropy_backward(const CrossEntropy& p, const void* logits, const int64_t* labels,
                            const float* log_sums, const float* dloss, void* dlogits,
                            Stream stream) {
  const auto blocks = static_cast<unsigned>((p.rows * p.classes + kRowThreads - 1) / kRowThreads);
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(logits_back<T>, {blocks, kRowThreads, 0, stream}, p, static_cast<const T*>(logits),
           labels, log_sums, dloss, static_cast<T*>(dlogits));
  });
}

}  // namespace tacho::kernels
