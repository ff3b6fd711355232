#pragma once

// Shared by kernels over R×C numbers whose threads stay with their channels and walk down the rows.
// For column sums, each block writes partial sums and a second kernel adds those.

#include "training/kernels/kernels.h"
#include "training/kernels/launch.cuh"
#include "training/kernels/rows.cuh"

namespace tacho::kernels {

// Two blocks of 256 threads on each of 132 SMs saturate the memory of an H200 if each thread has at
// least 64 bytes in flight; a smaller GPU runs the blocks in several waves.
constexpr int kMostBlocks = 264;
constexpr int kBlocksAtATime = 2;
template <int kInputs>
constexpr int kUnrollFor = kInputs == 1 ? 8 : 4;

enum class Direction { down, up };

// Inputs of a pass: packs at the same position of each input and, after a ReLU, the bits of the
// numbers that it let through.
template <class T, int kInputs>
struct Inputs {
  const T* packs[kInputs];
  const uint8_t* passed = nullptr;
};

// Calls use(packs, bits, at) for the rows of this thread. All loads of an iteration are issued
// before the arithmetic: a row past the last one loads the last one, which is ignored, because a
// conditional load would wait for the previous one. A pass that walks up after one that walked down
// finds the most recently read rows in the L2 cache.
template <Direction kDirection, bool kBits = false, class T, int kInputs, class Use>
__device__ void walk_rows(const Inputs<T, kInputs>& inputs, const Rows& shape, int64_t channel,
                          Use use) {
  constexpr int kUnroll = kUnrollFor<kInputs>;
  const int64_t rows = shape.rows;
  const int64_t stride = static_cast<int64_t>(gridDim.y) * blockDim.y;
  const auto place = [&](int64_t row) {
    return (kDirection == Direction::down ? row : rows - 1 - row) * shape.channels + channel;
  };
  for (int64_t row = blockIdx.y * blockDim.y + threadIdx.y; row < rows; row += kUnroll * stride) {
    RawPack raw[kUnroll][kInputs];
    unsigned bits[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      const int64_t at = place(min(row + u * stride, rows - 1));
#pragma unroll
      for (int i = 0; i < kInputs; ++i) raw[u][i] = load_raw(inputs.packs[i] + at);
      bits[u] = kBits ? inputs.passed[at / Pack<T>::kWidth] : 0;
    }
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) {
      if (row + u * stride < rows) use(raw[u], bits[u], place(row + u * stride));
    }
  }
}

__device__ inline int64_t first_channel(int width) {
  return (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * width;
}

// Writes partial[block][sum][channel] from the sums of each thread. All threads of the block must
// call this.
template <int kSums, int kWidth>
__device__ void write_partial(const float (&sums)[kSums * kWidth], float* partial,
                              int64_t channels) {
  constexpr int kPitch = kRowThreads + 4;  // eight sums of four neighbours: 32 banks
  __shared__ float shared[kSums * kWidth * kPitch];
  const int across = static_cast<int>(blockDim.x);
  const int down = static_cast<int>(blockDim.y);
  const int thread = static_cast<int>(threadIdx.y) * across + static_cast<int>(threadIdx.x);
#pragma unroll
  for (int i = 0; i < kSums * kWidth; ++i) shared[i * kPitch + thread] = sums[i];
  __syncthreads();
  const int width = across * kWidth;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * width;
  for (int out = thread; out < kSums * width; out += across * down) {
    const int s = out / width;
    const int c = out % width;
    if (first + c >= channels) continue;
    const float* column = shared + (s * kWidth + c % kWidth) * kPitch + c / kWidth;
    float sum = 0;
    for (int row = 0; row < down; ++row) sum += column[row * across];
    partial[(static_cast<int64_t>(blockIdx.y) * kSums + s) * channels + first + c] = sum;
  }
}

constexpr int kFinishAcross = 32;
constexpr int kFinishDown = 32;

// Returns the sum of a column of partial sums over the rows b, b + kDown, … below `blocks`. All
// loads of an iteration are in flight at once: sequentially they would take longer than the whole
// kernel.
template <int kDown>
__device__ float sum_of_column(const float* partial, int blocks, int64_t pitch) {
  constexpr int kEach = (kMostBlocks + kDown - 1) / kDown;
  float sum = 0;
  for (int first = static_cast<int>(threadIdx.y); first < blocks; first += kEach * kDown) {
    float part[kEach];
#pragma unroll
    for (int i = 0; i < kEach; ++i) {
      const int b = first + i * kDown;
      part[i] = b < blocks ? partial[b * pitch] : 0;
    }
#pragma unroll
    for (int i = 0; i < kEach; ++i) sum += part[i];
  }
  return sum;
}

// Adds up a column of partial sums; the results are valid in threads (x, 0).
template <int kSums>
__device__ void sum_partials(const float* partial, int blocks, int64_t channels, int64_t channel,
                             float (&sums)[kSums]) {
  __shared__ float shared[kSums][kFinishDown][kFinishAcross];
#pragma unroll
  for (int s = 0; s < kSums; ++s) {
    const int64_t at = s * channels + (channel < channels ? channel : 0);
    shared[s][threadIdx.y][threadIdx.x] =
        sum_of_column<kFinishDown>(partial + at, blocks, kSums * channels);
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

// The second kernel, if only the sums are needed.
template <class T>
__global__ void finish_sums(const float* partial, int blocks, int64_t channels, T* out) {
  wait_for_previous();
  const int64_t c = finish_channel();
  float sums[1];
  sum_partials<1>(partial, blocks, channels, c, sums);
  if (threadIdx.y == 0 && c < channels) out[c] = static_cast<T>(sums[0]);
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
