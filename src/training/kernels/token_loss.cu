// The loss of a language model and its gradient. One block has a row and keeps it in shared memory
// between its two passes; a row that does not fit is read twice.
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

// How many scores of a pack are ahead of the label's; of equal scores the first class wins.
template <int W>
__device__ int ahead_of(const float (&v)[W], float right, int64_t first, int64_t label) {
  int ahead = 0;
#pragma unroll
  for (int i = 0; i < W; ++i) {
    ahead += (first + W <= label ? v[i] >= right : v[i] > right) ? 1 : 0;
  }
  if (first + W <= label || first > label) return ahead;
#pragma unroll
  for (int i = 0; i < W; ++i) ahead += v[i] == right && first + i < label ? 1 : 0;
  return ahead;
}

template <class T, bool kHeld>
__global__ void __launch_bounds__(kThreads, 2)
    token_losses(TokenLoss p, T* logits, const int64_t* __restrict__ labels, bool overwrite,
                 float* __restrict__ losses, int32_t* __restrict__ ahead) {
  constexpr int W = Pack<T>::kWidth;
  constexpr int kUnroll = 4;
  extern __shared__ RawPack held[];
  const int64_t row = blockIdx.x;
  T* own = logits + row * p.stride;
  const auto classes = static_cast<int>(p.classes);
  const auto packs = static_cast<int>(p.stride) / W;
  const auto label = static_cast<int>(labels[row]);
  if (label < 0) {
    if (threadIdx.x == 0) {
      losses[row] = 0;
      ahead[row] = -1;
    }
    const float none[W] = {};
    if (!overwrite) return;
    for (int pack = static_cast<int>(threadIdx.x); pack < packs; pack += kThreads) {
      store_pack(own + pack * W, none);
    }
    return;
  }
  const auto right = static_cast<float>(own[label]);
  RowFigures mine;
  for (int first = static_cast<int>(threadIdx.x); first < packs; first += kUnroll * kThreads) {
    RawPack raw[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      raw[u] = load_raw(own + min(first + u * kThreads, packs - 1) * W);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int pack = first + u * kThreads;
      if (pack >= packs) break;
      if (kHeld) held[pack] = raw[u];
      const int c = pack * W;
      if (c >= classes) break;
      float v[W];
      Pack<T>::unpack(raw[u], v);
      if (c + W > classes) {
#pragma unroll
        for (int i = 0; i < W; ++i) v[i] = c + i < classes ? v[i] : -INFINITY;
      }
      float top = mine.largest;
#pragma unroll
      for (int i = 0; i < W; ++i) top = fmaxf(top, v[i]);
      mine.exponentials *= exp_from<T>(mine.largest, top);
      mine.largest = top;
#pragma unroll
      for (int i = 0; i < W; ++i) mine.exponentials += exp_from<T>(v[i], top);
      mine.ahead += ahead_of(v, right, c, label);
      if (p.smoothing > 0) {
#pragma unroll
        for (int i = 0; i < W; ++i) mine.total += c + i < classes ? v[i] : 0;
      }
    }
  }
  const RowFigures all = across_block(mine);
  const float log_sum = all.largest + logf(all.exponentials);
  if (threadIdx.x == 0) {
    const float mean = all.total / static_cast<float>(classes);
    losses[row] = (1 - p.smoothing) * (log_sum - right) + p.smoothing * (log_sum - mean);
    ahead[row] = isnan(right) ? classes : all.ahead;  // never a hit
  }
  if (!overwrite) return;
  const float rest = p.smoothing / static_cast<float>(classes);
  for (int pack = static_cast<int>(threadIdx.x); pack < packs; pack += kThreads) {
    const int c = pack * W;
    float v[W];
    Pack<T>::unpack(kHeld ? held[pack] : load_raw(own + c), v);
#pragma unroll
    for (int i = 0; i < W; ++i) v[i] = exp_from<T>(v[i], log_sum) - rest;
    if (label >= c && label < c + W) {
#pragma unroll
      for (int i = 0; i < W; ++i) v[i] -= c + i == label ? 1 - p.smoothing : 0;
    }
    if (c + W > classes) {
#pragma unroll
      for (int i = 0; i < W; ++i) v[i] = c + i < classes ? v[i] : 0;
    }
    store_pack(own + c, v);
  }
}

constexpr int kCounters = 1024;

// One block adds up in a fixed order.
__global__ void __launch_bounds__(kCounters)
    count_hits(const int32_t* __restrict__ ahead, int64_t rows, const float* loss, double* totals,
               float* last) {
  __shared__ int first, fifth, counted;
  if (threadIdx.x == 0) first = fifth = counted = 0;
  __syncthreads();
  int mine[3] = {};
  for (int64_t row = threadIdx.x; row < rows; row += kCounters) {
    const int better = ahead[row];
    if (better < 0) continue;
    mine[0] += better < 1 ? 1 : 0;
    mine[1] += better < 5 ? 1 : 0;
    ++mine[2];
  }
  atomicAdd(&first, mine[0]);
  atomicAdd(&fifth, mine[1]);
  atomicAdd(&counted, mine[2]);
  __syncthreads();
  if (threadIdx.x != 0) return;
  *last = *loss;
  totals[0] += static_cast<double>(*loss) * counted;
  totals[1] += first;
  totals[2] += fifth;
  totals[3] += counted;
}

// Shared memory that a block may have besides its own variables.
int64_t most_shared_bytes() {
  constexpr int kVariables = 1 << 10;
  int device = 0;
  int most = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  return most - kVariables;
}

}  // namespace

void token_loss(const TokenLoss& p, void* logits, const int64_t* labels, bool overwrite,
                float* losses, int32_t* ahead, Stream stream) {
  const int64_t bytes = p.stride / pack_width(p.type) * kPackBytes;
  const bool fits = bytes <= most_shared_bytes();
  with_type(p.type, [&](auto example) {
    using T = decltype(example);
    auto* kernel = fits ? &token_losses<T, true> : &token_losses<T, false>;
    const size_t held = fits ? static_cast<size_t>(bytes) : 0;
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         static_cast<int>(held));
    launch(kernel, {static_cast<unsigned>(p.rows), kThreads, held, stream}, p,
           static_cast<T*>(logits), labels, overwrite, losses, ahead);
  });
}

void add_hits(const int32_t* ahead, int64_t rows, const float* loss, double* totals, float* last,
              Stream stream) {
  launch(count_hits, {1, kCounters, 0, stream}, ahead, rows, loss, totals, last);
}

}  // namespace tacho::kernels
