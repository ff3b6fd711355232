// Normalises rows by mean and deviation with different numbers of passes over memory.
#include "programs/gpubench/case.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::gpubench {
namespace {

constexpr int kWidth = 1024;
constexpr int kPacks = kWidth / 4 / kLanes;  // packs of four numbers per lane
constexpr int kWarps = kThreads / kLanes;

__device__ int64_t own_row() {
  return static_cast<int64_t>(blockIdx.x) * kWarps + threadIdx.x / kLanes;
}

// Sums `term` over a lane's numbers and then over the row.
template <class Term>
__device__ float sum_of_row(const float* row, Term term) {
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const float4 v = reinterpret_cast<const float4*>(row)[k * kLanes + threadIdx.x % kLanes];
    sum += (term(v.x) + term(v.y)) + (term(v.z) + term(v.w));
  }
  return add_across(sum);
}

__global__ void find_means(const float* __restrict__ a, int64_t rows, float* means) {
  const int64_t row = own_row();
  if (row >= rows) return;
  const float sum = sum_of_row(a + row * kWidth, [](float v) { return v; });
  if (threadIdx.x % kLanes == 0) means[row] = sum / kWidth;
}

__global__ void find_deviations(const float* __restrict__ a, int64_t rows,
                                const float* __restrict__ means, float* rstds) {
  const int64_t row = own_row();
  if (row >= rows) return;
  const float mean = means[row];
  const float sum =
      sum_of_row(a + row * kWidth, [mean](float v) { return (v - mean) * (v - mean); });
  if (threadIdx.x % kLanes == 0) rstds[row] = rsqrtf(sum / kWidth + kEpsilon);
}

__global__ void apply(const float* __restrict__ a, int64_t rows, const float* __restrict__ means,
                      const float* __restrict__ rstds, float* __restrict__ c) {
  const int64_t row = own_row();
  if (row >= rows) return;
  const float mean = means[row];
  const float rstd = rstds[row];
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    const int64_t i = row * (kWidth / 4) + k * kLanes + threadIdx.x % kLanes;
    const float4 v = reinterpret_cast<const float4*>(a)[i];
    reinterpret_cast<float4*>(c)[i] = make_float4((v.x - mean) * rstd, (v.y - mean) * rstd,
                                                  (v.z - mean) * rstd, (v.w - mean) * rstd);
  }
}

// A warp keeps its row in registers.
__global__ void __launch_bounds__(kThreads)
    normalise_in_registers(const float* __restrict__ a, int64_t rows, float* __restrict__ c) {
  const int64_t row = own_row();
  if (row >= rows) return;
  const int lane = threadIdx.x % kLanes;
  float4 v[kPacks];
  float sum = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    v[k] = __ldcs(reinterpret_cast<const float4*>(a + row * kWidth) + k * kLanes + lane);
  }
#pragma unroll
  for (int k = 0; k < kPacks; ++k) sum += (v[k].x + v[k].y) + (v[k].z + v[k].w);
  const float mean = add_across(sum) / kWidth;
  float squares = 0;
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    v[k] = make_float4(v[k].x - mean, v[k].y - mean, v[k].z - mean, v[k].w - mean);
    squares += (v[k].x * v[k].x + v[k].y * v[k].y) + (v[k].z * v[k].z + v[k].w * v[k].w);
  }
  const float rstd = rsqrtf(add_across(squares) / kWidth + kEpsilon);
#pragma unroll
  for (int k = 0; k < kPacks; ++k) {
    __stcs(reinterpret_cast<float4*>(c + row * kWidth) + k * kLanes + lane,
           make_float4(v[k].x * rstd, v[k].y * rstd, v[k].z * rstd, v[k].w * rstd));
  }
}

// Checks selected rows in fp64 with one thread.
__device__ bool row_is_right(const float* a, const float* c) {
  double sum = 0;
  for (int i = 0; i < kWidth; ++i) sum += a[i];
  const double mean = sum / kWidth;
  double squares = 0;
  for (int i = 0; i < kWidth; ++i) squares += (a[i] - mean) * (a[i] - mean);
  const double rstd = 1 / sqrt(squares / kWidth + kEpsilon);
  for (int i = 0; i < kWidth; ++i) {
    if (!(fabs((a[i] - mean) * rstd - c[i]) <= 1e-4)) return false;
  }
  return true;
}

}  // namespace

void add_norm_cases(const Arrays& x, Cases& cases) {
  const Arrays all = x;
  const int64_t rows = x.count / kWidth;
  const unsigned blocks = blocks_for(rows, kWarps);
  const auto poisoned = static_cast<size_t>(x.bytes());
  const auto right = checker(x, rows, [all] __device__(int64_t row) {
    return row_is_right(all.a + row * kWidth, all.c + row * kWidth);
  });
  auto* means = reinterpret_cast<float*>(x.index);
  float* rstds = means + rows;
  GpuForm passes = plain(x, "normalise", "three passes over all rows", "f32", 1);
  passes.moved_bytes = 4 * x.bytes();
  passes.waste = "all rows are read three times";
  cases.push_back({passes,
                   [=](cudaStream_t s) {
                     launch(find_means, {blocks, kThreads, 0, s}, all.a, rows, means);
                     launch(find_deviations, {blocks, kThreads, 0, s}, all.a, rows, means, rstds);
                     launch(apply, {blocks, kThreads, 0, s}, all.a, rows, means, rstds, all.c);
                   },
                   right, x.c, poisoned});
  cases.push_back({plain(x, "normalise", "a warp keeps its row in registers", "f32", 1),
                   launch_of(normalise_in_registers, blocks, kThreads, all.a, rows, all.c), right,
                   x.c, poisoned});
}

}  // namespace tacho::gpubench
