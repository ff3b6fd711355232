// The way back of add_norm.cu: a team of threads holds a row, a pack each; rows go by twos, and the
// next two are under way while these are worked on.
#include "kernels/columns.cuh"
#include "kernels/dropout.cuh"
#include "kernels/team.cuh"

namespace tacho::kernels {
namespace {

constexpr int kRows = 2;  // of a team at a time
// One block of so many threads on each of an H200's 132 processors, which
// stays.
constexpr int kBackwardThreads = 512;
constexpr int64_t kMostBackwardBlocks = 132;
constexpr int kColumnSums = 3;  // gamma's, beta's and the bias's gradients

// The same column of kRows rows. A row beyond the last and a column beyond the row's end load what
// is there, for nothing: a load under a condition would wait for the one before.
template <class T>
struct Column {
  RawPack raw[kRows];
  __device__ void load(const void* all, int64_t row, int64_t rows, int64_t width, int64_t column) {
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      raw[r] = load_raw(static_cast<const T*>(all) + min(row + r, rows - 1) * width + column);
    }
  }
};

// What comes back to rows, and what is known of them.
template <class T, bool kMore>
struct Returned {
  Column<T> dy, sum, dsum;
  float mean[kRows];
  float rstd[kRows];
  __device__ void load(const AddNormBackward& p, int64_t row, int64_t column) {
    const int64_t rows = p.shape.rows;
    const int64_t width = p.shape.channels;
    dy.load(p.dy, row, rows, width, column);
    sum.load(p.sum, row, rows, width, column);
    if constexpr (kMore) dsum.load(p.dsum, row, rows, width, column);
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      mean[r] = p.mean[min(row + r, rows - 1)];
      rstd[r] = p.rstd[min(row + r, rows - 1)];
    }
  }
};

// Adds up what the block's teams have gathered for each column and writes it to `out`.
template <int kWidth>
__device__ void write_columns(const float (&sums)[kWidth], int64_t width, float* out,
                              float* shared) {
  const int across = static_cast<int>(blockDim.x) * kWidth;
  __syncthreads();
#pragma unroll
  for (int i = 0; i < kWidth; ++i) {
    shared[threadIdx.y * across + threadIdx.x * kWidth + i] = sums[i];
  }
  __syncthreads();
  const auto thread = static_cast<int>(threadIdx.y * blockDim.x + threadIdx.x);
  for (int c = thread; c < width; c += static_cast<int>(blockDim.x * blockDim.y)) {
    float sum = 0;
    for (unsigned team = 0; team < blockDim.y; ++team) sum += shared[team * across + c];
    out[c] = sum;
  }
}

// The next rows are under way while these are worked on.
template <class T, bool kMore>
__global__ void __launch_bounds__(kBackwardThreads, 1) add_norm_back(AddNormBackward p) {
  constexpr int W = Pack<T>::kWidth;
  __shared__ float shared[kBackwardThreads * W];
  const int64_t rows = p.shape.rows;
  const int64_t width = p.shape.channels;
  const float share = 1.0F / static_cast<float>(width);
  let_next_come();
  Team team;
  const Dropout dropout(p.dropout, p.mask);
  const bool inside = threadIdx.x * W < width;
  const int64_t column = inside ? threadIdx.x * W : 0;
  const RawPack raw_gamma = load_raw(static_cast<const T*>(p.gamma) + column);
  float dgamma[W] = {};
  float dbeta[W] = {};
  float dbias[W] = {};
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.y * kRows;
  int64_t row = (static_cast<int64_t>(blockIdx.x) * blockDim.y + threadIdx.y) * kRows;
  Returned<T, kMore> next;
  next.load(p, min(row, rows - 1), column);
  for (; row < rows; row += stride) {
    Returned<T, kMore> now = next;
    next.load(p, min(row + stride, rows - 1), column);
    float gamma[W];
    Pack<T>::unpack(raw_gamma, gamma);
    // The normed number and gamma·dy are worked out twice: cheaper than keeping them.
    const auto unpack = [&](int r, float(&unit)[W], float(&g)[W]) {
      const float rstd = now.rstd[r];
      const float offset = -now.mean[r] * rstd;
      Pack<T>::unpack(now.dy.raw[r], g);
      Pack<T>::unpack(now.sum.raw[r], unit);
#pragma unroll
      for (int i = 0; i < W; ++i) unit[i] = unit[i] * rstd + offset;
    };
    float sums[2 * kRows] = {};  // of g, then of g·unit
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      if (!inside || row + r >= rows) now.dy.raw[r] = RawPack{0, 0, 0, 0};  // does not count
      float unit[W];
      float g[W];
      unpack(r, unit, g);
#pragma unroll
      for (int i = 0; i < W; ++i) {
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
      if (!inside || row + r >= rows) break;
      const int64_t at = (row + r) * width + column;
      const float rstd = now.rstd[r];
      const float of_g = -rstd * sums[r] * share;
      const float of_gu = -rstd * sums[kRows + r] * share;
      float unit[W];
      float g[W];
      float d[W] = {};
      unpack(r, unit, g);
      if constexpr (kMore) Pack<T>::unpack(now.dsum.raw[r], d);
#pragma unroll
      for (int i = 0; i < W; ++i) {
        d[i] += g[i] * gamma[i] * rstd + (unit[i] * of_gu + of_g);
      }
      if (p.dresidual != p.dx) store_pack(static_cast<T*>(p.dresidual) + at, d);
      dropout.apply(d, at);
#pragma unroll
      for (int i = 0; i < W; ++i) dbias[i] += d[i];
      store_pack(static_cast<T*>(p.dx) + at, d);
    }
  }
  float* out = p.workspace + static_cast<int64_t>(blockIdx.x) * kColumnSums * width;
  write_columns<W>(dgamma, width, out, shared);
  write_columns<W>(dbeta, width, out + width, shared);
  if (p.dbias != nullptr) write_columns<W>(dbias, width, out + 2 * width, shared);
}

template <class T>
__global__ void finish_columns(const float* partial, int blocks, int64_t width, T* dgamma, T* dbeta,
                               T* dbias) {
  wait_for_last();
  __shared__ float shared[kFinishDown][kLanes];
  T* outs[kColumnSums] = {dgamma, dbeta, dbias};
  T* out = outs[blockIdx.y];
  if (out == nullptr) return;
  const int64_t c = static_cast<int64_t>(blockIdx.x) * kLanes + threadIdx.x;
  const int64_t at = blockIdx.y * width + (c < width ? c : 0);
  shared[threadIdx.y][threadIdx.x] =
      sum_of_column<kFinishDown>(partial + at, blocks, kColumnSums * width);
  __syncthreads();
  if (threadIdx.y != 0 || c >= width) return;
  float sum = 0;
  for (int row = 0; row < kFinishDown; ++row) sum += shared[row][threadIdx.x];
  out[c] = static_cast<T>(sum);
}

unsigned blocks_for(const Rows& shape, const dim3& block) {
  const int64_t each = static_cast<int64_t>(block.y) * kRows;
  return static_cast<unsigned>((shape.rows + each - 1) / each);
}

unsigned backward_blocks(const Rows& shape) {
  const int64_t needed = blocks_for(shape, teams_for(shape, kBackwardThreads));
  return static_cast<unsigned>(needed < kMostBackwardBlocks ? needed : kMostBackwardBlocks);
}

}  // namespace

int64_t add_norm_workspace(const Rows& shape) {
  return backward_blocks(shape) * kColumnSums * shape.channels;
}

void add_norm_backward(const AddNormBackward& p, Stream stream) {
  const dim3 block = teams_for(p.shape, kBackwardThreads);
  const unsigned blocks = backward_blocks(p.shape);
  const int64_t width = p.shape.channels;
  with_type(p.shape.type, [&](auto example) {
    using T = decltype(example);
    auto* kernel = p.dsum != nullptr ? &add_norm_back<T, true> : &add_norm_back<T, false>;
    kernel<<<blocks, block, 0, stream>>>(p);
    const dim3 grid(static_cast<unsigned>((width + kLanes - 1) / kLanes), kColumnSums);
    launch_behind(finish_columns<T>, {grid, dim3(kLanes, kFinishDown), stream}, p.workspace,
                  static_cast<int>(blocks), width, static_cast<T*>(p.dgamma),
                  static_cast<T*>(p.dbeta), static_cast<T*>(p.dbias));
  });
}

}  // namespace tacho::kernels
