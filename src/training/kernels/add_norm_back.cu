// Backward pass of add_norm.cu. A team of threads holds a row, one pack per thread, and processes
// two rows at a time; the next rows are copied to shared memory meanwhile. A thread reads only what
// it copied itself, so no barrier is needed for the copies.
#include <cuda_pipeline.h>

#include <algorithm>

#include "training/kernels/columns.cuh"
#include "training/kernels/dropout.cuh"
#include "training/kernels/team.cuh"

namespace tacho::kernels {
namespace {

constexpr int kRows = 2;    // that a team processes at a time
constexpr int kStages = 3;  // two in flight, one being processed
// One persistent block of this many threads on each of an H200's 132 SMs.
constexpr int kBackwardThreads = kMostTeamThreads;
constexpr int64_t kMostBackwardBlocks = 132;
constexpr int kColumnSums = 3;  // gamma's, beta's and the bias's gradients
constexpr int kMostArrays = 3;  // inputs: dy, sum and dsum

// Holds this thread's packs of kRows rows in shared memory: [stage][row][array][thread].
template <class T, bool kMore>
class Ring {
 public:
  static constexpr int kArrays = kMore ? kMostArrays : 2;

  __device__ Ring(RawPack* shared, const AddNormBackward& p)
      : threads_(static_cast<int>(blockDim.x * blockDim.y)),
        mine_(shared + threadIdx.y * blockDim.x + threadIdx.x),
        dy_(static_cast<const T*>(p.dy)),
        sum_(static_cast<const T*>(p.sum)),
        dsum_(static_cast<const T*>(p.dsum)),
        width_(p.shape.channels) {}

  // Starts copying the column at `at` of `count` rows; the remaining rows are filled with zeros
  // without being read.
  __device__ void ask(int64_t at, int count) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const size_t zeros = r < count ? 0 : sizeof(RawPack);
      const int64_t from = at + r * width_;
      RawPack* to = mine_ + (asked_ * kRows + r) * kArrays * threads_;
      __pipeline_memcpy_async(to, dy_ + from, sizeof(RawPack), zeros);
      __pipeline_memcpy_async(to + threads_, sum_ + from, sizeof(RawPack), zeros);
      if constexpr (kMore) {
        __pipeline_memcpy_async(to + 2 * threads_, dsum_ + from, sizeof(RawPack), zeros);
      }
    }
    __pipeline_commit();
    asked_ = after(asked_);
  }
  // Waits for the oldest copies; they are valid until the next call.
  __device__ void wait() {
    __pipeline_wait_prior(kStages - 2);
    stage_ = after(stage_);
  }
  __device__ RawPack dy(int r) const { return at(r, 0); }
  __device__ RawPack sum(int r) const { return at(r, 1); }
  __device__ RawPack dsum(int r) const { return at(r, 2); }

 private:
  __device__ static int after(int stage) { return stage + 1 == kStages ? 0 : stage + 1; }
  __device__ RawPack at(int r, int array) const {
    return mine_[((stage_ * kRows + r) * kArrays + array) * threads_];
  }

  int threads_;
  RawPack* mine_;
  const T* dy_;
  const T* sum_;
  const T* dsum_;
  int64_t width_;
  int asked_ = 0;
  int stage_ = kStages - 1;
};

// Adds up the column sums of the block's teams and writes them to `out`.
template <int kWidth>
__device__ void write_columns(const float (&sums)[kColumnSums][kWidth], int64_t width, float* out,
                              float* shared) {
  const int across = static_cast<int>(blockDim.x) * kWidth;
  float* mine = shared + threadIdx.y * kColumnSums * across + threadIdx.x * kWidth;
  __pipeline_wait_prior(0);
  __syncthreads();
#pragma unroll
  for (int s = 0; s < kColumnSums; ++s) {
#pragma unroll
    for (int i = 0; i < kWidth; i += 4) {
      *reinterpret_cast<float4*>(mine + s * across + i) = {sums[s][i], sums[s][i + 1],
                                                           sums[s][i + 2], sums[s][i + 3]};
    }
  }
  __syncthreads();
  const auto thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  for (int c = thread; c < width; c += static_cast<int>(blockDim.x * blockDim.y)) {
#pragma unroll
    for (int s = 0; s < kColumnSums; ++s) {
      float sum = 0;
      for (unsigned team = 0; team < blockDim.y; ++team) {
        sum += shared[(team * kColumnSums + s) * across + c];
      }
      out[s * width + c] = sum;
    }
  }
}

template <class T, bool kMore>
__global__ void __launch_bounds__(kBackwardThreads, 1) add_norm_back(AddNormBackward p) {
  constexpr int W = Pack<T>::kWidth;
  extern __shared__ RawPack shared[];
  const int64_t width = p.shape.channels;
  const float share = 1.0F / static_cast<float>(width);
  allow_dependents();
  Team team;
  const Dropout dropout(p.dropout, p.mask);
  const bool inside = threadIdx.x * W < width;
  const int64_t column = inside ? threadIdx.x * W : 0;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.y * kRows;
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.y * kRows;
  const int64_t own = first + threadIdx.y * kRows;
  int64_t block_left = p.shape.rows - first;
  int64_t left = p.shape.rows - own;  // counted from the team's next rows
  int64_t at = own * width + column;
  const int64_t step = stride * width;
  const auto rows_of = [](int64_t n) {
    return static_cast<int>(max(min(n, int64_t{kRows}), int64_t{0}));
  };
  Ring<T, kMore> ring(shared, p);
#pragma unroll
  for (int s = 0; s < kStages - 1; ++s) {
    ring.ask(at + s * step, inside ? rows_of(left - s * stride) : 0);
  }
  const float* mean_at = p.mean + own;
  const float* rstd_at = p.rstd + own;
  float next_mean[kRows];
  float next_rstd[kRows];
  const auto look = [&](int64_t rows) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      next_mean[r] = r < rows ? mean_at[r] : 0;
      next_rstd[r] = r < rows ? rstd_at[r] : 0;
    }
    mean_at += stride;
    rstd_at += stride;
  };
  look(left);
  float gamma[W];
  load_pack(static_cast<const T*>(p.gamma) + column, gamma);
  float columns[kColumnSums][W] = {};
  auto& [dgamma, dbeta, dbias] = columns;
  for (; block_left > 0; block_left -= stride, left -= stride, at += step) {
    float rstd[kRows];
    float offset[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      rstd[r] = next_rstd[r];
      offset[r] = -next_mean[r] * rstd[r];
    }
    look(left - stride);
    ring.wait();
    ring.ask(at + (kStages - 1) * step, inside ? rows_of(left - (kStages - 1) * stride) : 0);
    // The numbers are unpacked twice, which is cheaper than keeping them.
    RawPack raw_dy[kRows];
    RawPack raw_sum[kRows];
    float sums[2 * kRows] = {};  // of g, then of g·unit
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      raw_dy[r] = ring.dy(r);
      raw_sum[r] = ring.sum(r);
      float g[W];
      float unit[W];
      widen<T>(raw_dy[r], g);
      widen<T>(raw_sum[r], unit);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        unit[i] = unit[i] * rstd[r] + offset[r];
        dbeta[i] += g[i];
        dgamma[i] += g[i] * unit[i];
        g[i] *= gamma[i];
        sums[r] += g[i];
        sums[kRows + r] += g[i] * unit[i];
      }
    }
    team.add(sums);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (!inside || r >= left) break;
      const int64_t to = at + r * width;
      const float of_g = -rstd[r] * sums[r] * share;
      const float of_gu = -rstd[r] * sums[kRows + r] * share;
      const float by = of_gu * rstd[r];
      const float plus = of_gu * offset[r] + of_g;
      float g[W];
      float s[W];
      float d[W];
      float kept[W];
      widen<T>(raw_dy[r], g);
      widen<T>(raw_sum[r], s);
#pragma unroll
      for (int i = 0; i < W; ++i) d[i] = g[i] * gamma[i] * rstd[r] + (s[i] * by + plus);
      if constexpr (kMore) {
        widen<T>(ring.dsum(r), s);
#pragma unroll
        for (int i = 0; i < W; ++i) d[i] += s[i];
      }
      if (p.dresidual != p.dx) store_whole(static_cast<T*>(p.dresidual) + to, d);
      dropout.factors(kept, to);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        d[i] *= kept[i];
        dbias[i] += d[i];
      }
      store_whole(static_cast<T*>(p.dx) + to, d);
    }
  }
  write_columns<W>(columns, width,
                   p.workspace + static_cast<int64_t>(blockIdx.x) * kColumnSums * width,
                   reinterpret_cast<float*>(shared));
}

// Few threads per block, so that the blocks fit next to those of the previous kernel and wait
// there.
constexpr int kFinishColumns = 8;
constexpr int kFinishRows = 16;

template <class T>
__global__ void __launch_bounds__(kFinishColumns* kFinishRows)
    finish_columns(const float* partial, int blocks, int64_t width, T* dgamma, T* dbeta, T* dbias) {
  wait_for_previous();
  constexpr int kEach = (kMostBackwardBlocks + kFinishRows - 1) / kFinishRows;
  __shared__ float shared[kFinishRows][kFinishColumns];
  const int64_t c = static_cast<int64_t>(blockIdx.x) * kFinishColumns + threadIdx.x;
  const int64_t all = kColumnSums * width;
  float part[kEach];
#pragma unroll
  for (int i = 0; i < kEach; ++i) {
    const int b = static_cast<int>(threadIdx.y) + i * kFinishRows;
    part[i] = b < blocks && c < all ? partial[b * all + c] : 0;
  }
  float sum = 0;
#pragma unroll
  for (int i = 0; i < kEach; ++i) sum += part[i];
  shared[threadIdx.y][threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.y != 0 || c >= all) return;
  T* out = c < width ? dgamma : c < 2 * width ? dbeta : dbias;
  if (out == nullptr) return;
  sum = 0;
#pragma unroll
  for (int row = 0; row < kFinishRows; ++row) sum += shared[row][threadIdx.x];
  out[c % width] = static_cast<T>(sum);
}

// Returns as many teams as fit into the shared memory of an SM.
dim3 backward_teams(const Rows& shape) {
  int device = 0;
  int bytes = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
  constexpr int kOther = 1024;  // the teams' sums
  constexpr int kOfThread = kStages * kRows * kMostArrays * static_cast<int>(sizeof(RawPack));
  return teams_for(shape, std::min(kBackwardThreads, (bytes - kOther) / kOfThread));
}

unsigned backward_blocks(const Rows& shape) {
  const int64_t each = static_cast<int64_t>(backward_teams(shape).y) * kRows;
  const int64_t needed = (shape.rows + each - 1) / each;
  return static_cast<unsigned>(needed < kMostBackwardBlocks ? needed : kMostBackwardBlocks);
}

template <class T, bool kMore>
void launch_back(const AddNormBackward& p, unsigned blocks, Stream stream) {
  const dim3 block = backward_teams(p.shape);
  constexpr int kPacks = kStages * kRows * Ring<T, kMore>::kArrays;
  static_assert(kPacks * sizeof(RawPack) >= kColumnSums * Pack<T>::kWidth * sizeof(float));
  const auto bytes = static_cast<unsigned>(kPacks * block.x * block.y * sizeof(RawPack));
  auto* kernel = add_norm_back<T, kMore>;
  cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                       static_cast<int>(bytes));
  launch(kernel, {blocks, block, bytes, stream}, p);
}

}  // namespace

int64_t add_norm_workspace(const Rows& shape) {
  return backward_blocks(shape) * kColumnSums * shape.channels;
}

void add_norm_backward(const AddNormBackward& p, Stream stream) {
  const unsigned blocks = backward_blocks(p.shape);
  const int64_t width = p.shape.channels;
  with_type(p.shape.type, [&](auto example) {
    using T = decltype(example);
    if (p.dsum != nullptr) {
      launch_back<T, true>(p, blocks, stream);
    } else {
      launch_back<T, false>(p, blocks, stream);
    }
    const dim3 grid(
        static_cast<unsigned>((kColumnSums * width + kFinishColumns - 1) / kFinishColumns));
    launch(finish_columns<T>,
           {grid, dim3(kFinishColumns, kFinishRows), 0, stream, dependent_launch()}, p.workspace,
           static_cast<int>(blocks), width, static_cast<T*>(p.dgamma), static_cast<T*>(p.dbeta),
           static_cast<T*>(p.dbias));
  });
}

}  // namespace tacho::kernels
