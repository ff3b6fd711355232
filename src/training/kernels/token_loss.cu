// The loss of a language model and its gradient. One block has a row: it is read twice, the second
// time from the L2 cache.
#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::kernels {
namespace {

constexpr int kThreads = 512;
constexpr int kWarps = kThreads / kLanes;

// What a thread, and then the block, knows about a row.
struct RowFigures {
  float largest = -INFINITY;
  float exponentials = 0;  // sum of exp(score − largest)
  float total = 0;
  int ahead = 0;

  __device__ void add(const RowFigures& other) {
    const float top = fmaxf(largest, other.largest);
    if (top == -INFINITY) return;
    exponentials =
        exponentials * expf(largest - top) + other.exponentials * expf(other.largest - top);
    largest = top;
    total += other.total;
    ahead += other.ahead;
  }
};

__device__ RowFigures across_warp(RowFigures mine) {
#pragma unroll
  for (int step = kLanes / 2; step > 0; step /= 2) {
    mine.add({__shfl_xor_sync(0xffffffffU, mine.largest, step),
              __shfl_xor_sync(0xffffffffU, mine.exponentials, step),
              __shfl_xor_sync(0xffffffffU, mine.total, step),
              __shfl_xor_sync(0xffffffffU, mine.ahead, step)});
  }
  return mine;
}

__device__ RowFigures across_block(RowFigures mine) {
  __shared__ float shared[kWarps][3];
  __shared__ int ahead[kWarps];
  mine = across_warp(mine);
  const int warp = static_cast<int>(threadIdx.x) / kLanes;
  if (threadIdx.x % kLanes == 0) {
    shared[warp][0] = mine.largest;
    shared[warp][1] = mine.exponentials;
    shared[warp][2] = mine.total;
    ahead[warp] = mine.ahead;
  }
  __syncthreads();
  RowFigures all;
#pragma unroll
  for (int w = 0; w < kWarps; ++w) {
    all.add(RowFigures{shared[w][0], shared[w][1], shared[w][2], ahead[w]});
  }
  return all;
}

template <class T>
__global__ void __launch_bounds__(kThreads, 2)
    token_losses(TokenLoss p, T* logits, const int64_t* __restrict__ labels, bool overwrite,
                 float* __restrict__ losses, int32_t* __restrict__ ahead) {
  constexpr int W = Pack<T>::kWidth;
  constexpr int kUnroll = 4;
  const int64_t row = blockIdx.x;
  T* own = logits + row * p.stride;
  const auto classes = static_cast<int>(p.classes);
  const auto label = static_cast<int>(labels[row]);
  const auto right = static_cast<float>(own[label]);
  RowFigures mine;
  for (int first = static_cast<int>(threadIdx.x) * W; first < classes;
       first += kUnroll * kThreads * W) {
    RawPack raw[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      raw[u] = load_raw(own + min(first + u * kThreads * W, static_cast<int>(p.stride) - W));
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int c = first + u * kThreads * W;
      float v[W];
      Pack<T>::unpack(raw[u], v);
      float top = -INFINITY;
#pragma unroll
      for (int i = 0; i < W; ++i) {
        if (c + i >= classes) v[i] = -INFINITY;
        top = fmaxf(top, v[i]);
      }
      if (top == -INFINITY && c >= classes) continue;
      top = fmaxf(top, mine.largest);
      mine.exponentials *= exponential<T>(mine.largest - top);
      mine.largest = top;
#pragma unroll
      for (int i = 0; i < W; ++i) {
        if (c + i >= classes) continue;
        mine.exponentials += exponential<T>(v[i] - top);
        mine.total += v[i];
        // Of equal scores the first class wins; a NaN score is never a hit.
        mine.ahead += !(v[i] <= right) || (v[i] == right && c + i < label) ? 1 : 0;
      }
    }
  }
  const RowFigures all = across_block(mine);
  const float log_sum = all.largest + logf(all.exponentials);
  if (threadIdx.x == 0) {
    const float mean = all.total / static_cast<float>(classes);
    losses[row] = (1 - p.smoothing) * (log_sum - right) + p.smoothing * (log_sum - mean);
    ahead[row] = all.ahead;
  }
  if (!overwrite) return;
  const float rest = p.smoothing / static_cast<float>(classes);
  for (int c = static_cast<int>(threadIdx.x) * W; c < p.stride; c += kThreads * W) {
    float v[W];
    load_pack(own + c, v);
#pragma unroll
    for (int i = 0; i < W; ++i) {
      const float wanted = rest + (c + i == label ? 1 - p.smoothing : 0);
      v[i] = c + i < classes ? exponential<T>(v[i] - log_sum) - wanted : 0;
    }
    store_pack(own + c, v);
  }
}

constexpr int kCounters = 1024;

// One block adds up in a fixed order.
__global__ void __launch_bounds__(kCounters)
    count_hits(const int32_t* __restrict__ ahead, int64_t rows, const float* loss, double* totals,
               float* last) {
  __shared__ int first, fifth;
  if (threadIdx.x == 0) first = fifth = 0;
  __syncthreads();
  int mine[2] = {};
  for (int64_t row = threadIdx.x; row < rows; row += kCounters) {
    mine[0] += ahead[row] < 1 ? 1 : 0;
    mine[1] += ahead[row] < 5 ? 1 : 0;
  }
  atomicAdd(&first, mine[0]);
  atomicAdd(&fifth, mine[1]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  *last = *loss;
  totals[0] += static_cast<double>(*loss) * static_cast<double>(rows);
  totals[1] += first;
  totals[2] += fifth;
}

}  // namespace

void token_loss(const TokenLoss& p, void* logits, const int64_t* labels, bool overwrite,
                float* losses, int32_t* ahead, Stream stream) {
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    launch(token_losses<T>, {static_cast<unsigned>(p.rows), kThreads, 0, stream}, p,
           static_cast<T*>(logits), labels, overwrite, losses, ahead);
  });
}

void add_hits(const int32_t* ahead, int64_t rows, const float* loss, double* totals, float* last,
              Stream stream) {
  launch(count_hits, {1, kCounters, 0, stream}, ahead, rows, loss, totals, last);
}

}  // namespace tacho::kernels
