#pragma once

// What kernels over R×C numbers share that keep to their channels and add them up down the rows:
// each block writes partial sums, and a second kernel adds those.

#include "kernels/kernels.h"
#include "kernels/rows.cuh"

namespace tacho::kernels {

// Four blocks of 256 on each of 132 processors, sixteen bytes a load and four loads under way:
// enough to keep an H200's memory busy; a smaller GPU takes them in turns.
constexpr int kMostBlocks = 528;
constexpr int kUnroll = 4;

// partial[block][sum][channel]
template <int kSums, int kWidth>
__device__ void write_partial(float (&sums)[kSums * kWidth], float* partial, int64_t channels,
                              int64_t channel) {
  __shared__ float shared[kSums * kWidth * kRowThreads];
  add_down(sums, shared);
  if (threadIdx.y != 0 || channel >= channels) return;
#pragma unroll
  for (int s = 0; s < kSums; ++s) {
#pragma unroll
    for (int i = 0; i < kWidth; ++i) {
      partial[(blockIdx.y * kSums + s) * channels + channel + i] = sums[s * kWidth + i];
    }
  }
}

// Calls load, then use, for the rows of this thread: kUnroll loads go ahead of the arithmetic.
template <class Load, class Use>
__device__ void walk_rows(int64_t rows, Load load, Use use) {
  const int64_t stride = static_cast<int64_t>(gridDim.y) * blockDim.y;
  for (int64_t row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += kUnroll * stride) {
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (row + u * stride < rows) load(u, row + u * stride);
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (row + u * stride < rows) use(u, row + u * stride);
    }
  }
}

__device__ inline int64_t first_channel(int width) {
  return (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * width;
}

constexpr int kFinishAcross = 32;
constexpr int kFinishDown = 16;

// The sum of a column of partial sums, in threads (x, 0).
template <int kSums>
__device__ void sum_partials(const float* partial, int blocks, int64_t channels, int64_t channel,
                             float (&sums)[kSums]) {
  __shared__ float shared[kSums][kFinishDown][kFinishAcross];
#pragma unroll
  for (int s = 0; s < kSums; ++s) {
    float sum = 0;
    if (channel < channels) {
      for (int b = threadIdx.y; b < blocks; b += kFinishDown) {
        sum += partial[(static_cast<int64_t>(b) * kSums + s) * channels + channel];
      }
    }
    shared[s][threadIdx.y][threadIdx.x] = sum;
  }
  __syncthreads();
#pragma unroll
  for (int s = 0; s < kSums; ++s) {
    sums[s] = 0;
    for (int row = 0; row < kFinishDown; ++row) sums[s] += shared[s][row][threadIdx.x];
  }
}

__device__ inline int64_t finish_channel() {
  return static_cast<int64_t>(blockIdx.x) * kFinishAcross + threadIdx.x;
}

struct FinishGrid {
  dim3 grid;
  dim3 block{kFinishAcross, kFinishDown};
  explicit FinishGrid(int64_t channels)
      : grid(static_cast<unsigned>((channels + kFinishAcross - 1) / kFinishAcross)) {}
};

inline RowGrid grid_for(const Rows& shape) {
  return row_grid(shape.rows, shape.channels, pack_width(shape.type), kMostBlocks);
}

}  // namespace tacho::kernels
