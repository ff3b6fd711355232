// The sum of an array.
#include "programs/gpubench/case.cuh"
#include "training/kernels/warp.cuh"

namespace tacho::gpubench {
namespace {

constexpr int kUnroll = 8;

// Adds every element to one sum at one address.
__global__ void sum_by_atomics(const float* __restrict__ a, int64_t count, double* result) {
  const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (i < count) atomicAdd(result, static_cast<double>(a[i]));
}

// A tree in shared memory, one element per thread.
__global__ void __launch_bounds__(kThreads)
    sum_by_tree(const float* __restrict__ a, int64_t count, double* result) {
  __shared__ float part[kThreads];
  const int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  part[threadIdx.x] = i < count ? a[i] : 0;
  for (int step = kThreads / 2; step > 0; step /= 2) {
    __syncthreads();
    if (threadIdx.x < step) part[threadIdx.x] += part[threadIdx.x + step];
  }
  if (threadIdx.x == 0) atomicAdd(result, static_cast<double>(part[0]));
}

// Threads keep partial sums in registers and combine them once, at the end.
__global__ void __launch_bounds__(kThreads)
    sum_persistent(const float4* __restrict__ a, int64_t packs, double* result) {
  __shared__ float part[kThreads / kLanes];
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  float sum = 0;
  int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x;
  for (; i + (kUnroll - 1) * stride < packs; i += kUnroll * stride) {
    float4 v[kUnroll];
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) v[u] = __ldcs(a + i + u * stride);
#pragma unroll
    for (int u = 0; u < kUnroll; ++u) sum += (v[u].x + v[u].y) + (v[u].z + v[u].w);
  }
  for (; i < packs; i += stride) {
    const float4 v = a[i];
    sum += (v.x + v.y) + (v.z + v.w);
  }
  sum = add_across(sum);
  if (threadIdx.x % kLanes == 0) part[threadIdx.x / kLanes] = sum;
  __syncthreads();
  if (threadIdx.x >= kLanes) return;
  sum = add_across(threadIdx.x < kThreads / kLanes ? part[threadIdx.x] : 0);
  if (threadIdx.x == 0) atomicAdd(result, static_cast<double>(sum));
}

// Computes the expected sum independently: whole blocks in fp64.
__global__ void __launch_bounds__(kThreads)
    add_expected(const float* __restrict__ a, int64_t count, double* expected) {
  __shared__ double part[kThreads];
  double sum = 0;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < count;
       i += stride) {
    sum += a[i];
  }
  part[threadIdx.x] = sum;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (int i = 1; i < kThreads; ++i) sum += part[i];
  atomicAdd(expected, sum);
}

__global__ void compare_sums(const double* found, const double* expected,
                             unsigned long long* wrong) {
  if (*found != *expected) atomicAdd(wrong, 1ULL);
}

GpuForm reading(const Arrays& x, const char* form, int64_t bytes, const char* limit) {
  return {"reduction", form, "f32", x.level, x.set(), bytes, bytes, "", limit};
}

}  // namespace

std::function<void(cudaStream_t)> sum_checker(const Arrays& x, int64_t count) {
  return [x, count](cudaStream_t s) {
    cudaMemsetAsync(x.result + 1, 0, sizeof(double), s);
    launch(add_expected, {x.processors * 4, kThreads, 0, s}, x.a, count, x.result + 1);
    launch(compare_sums, {1, 1, 0, s}, x.result, x.result + 1, x.wrong);
  };
}

void add_reduction_cases(const Arrays& x, Cases& cases) {
  const Arrays all = x;
  // Cleared once, before the checked pass: timed passes keep adding to it.
  const auto fresh = [all] { cudaMemset(all.result, 0, sizeof(double)); };
  // Only a part of the array: at this rate all of it would take too long.
  const int64_t few = x.count / 64;
  cases.push_back({reading(x, "every element by an atomic", few * 4, "all wait for one address"),
                   launch_of(sum_by_atomics, blocks_for(few), kThreads, all.a, few, all.result),
                   sum_checker(x, few), nullptr, 0, fresh});
  cases.push_back(
      {reading(x, "a tree, 4 bytes per thread", x.bytes(),
               "barriers and idle threads of the tree; 4 bytes in flight"),
       launch_of(sum_by_tree, blocks_for(all.count), kThreads, all.a, all.count, all.result),
       sum_checker(x, x.count), nullptr, 0, fresh});
  cases.push_back({reading(x, "16 bytes, 8 in flight, persistent grid", x.bytes(), ""),
                   launch_of(sum_persistent, all.processors * 8, kThreads,
                             reinterpret_cast<const float4*>(all.a), all.count / 4, all.result),
                   sum_checker(x, x.count), nullptr, 0, fresh});
}

}  // namespace tacho::gpubench
