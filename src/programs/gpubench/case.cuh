#pragma once

// Shared by the kernels of this folder: the arrays, their known values, and a case to time.

#include <cuda_bf16.h>
#include <cuda_runtime.h>

#include "programs/gpubench/survey.h"
#include "training/kernels/launch.cuh"

namespace tacho::gpubench {

using namespace kernels;  // launch() and the helpers of warp.cuh

constexpr int64_t kSector = 32;
constexpr int kThreads = 256;
constexpr const char* kStays =
    "loads and stores of a thread alternate, and no new block starts when one ends";
constexpr float kFactor = 3;
constexpr float kEpsilon = 1e-5F;

// Three arrays of `count` numbers and an index, on the device. `result` holds the sum of a
// reduction, `wrong` counts incorrect elements.
struct Arrays {
  float* a;
  float* b;
  float* c;
  uint32_t* index;
  double* result;
  unsigned long long* wrong;
  int64_t count;
  int processors;
  const char* level;
  bool in_cache = false;

  int64_t bytes() const { return count * 4; }
  int64_t set() const { return 3 * bytes(); }
};

struct Case {
  GpuForm form;
  std::function<void(cudaStream_t)> launch;
  // Enqueues a check of the result, which adds to Arrays::wrong.
  std::function<void(cudaStream_t)> check;
  // Overwritten before the checked pass; null if the form reads what it writes.
  void* poisoned = nullptr;
  size_t poisoned_bytes = 0;
  std::function<void()> prepare = {};  // called before the first pass
};
using Cases = std::vector<Case>;

// Multiples of 1/8 from -1 to 1: their sums are exact in fp32 in any order.
__host__ __device__ inline uint32_t mixed(uint32_t x) {
  x ^= x >> 16;
  x *= 0x21f0aaadU;
  x ^= x >> 15;
  x *= 0xd35a2d97U;
  return x ^ (x >> 15);
}
__host__ __device__ inline float value_of_a(int64_t i) {
  return static_cast<float>(static_cast<int>(mixed(static_cast<uint32_t>(i) + 1) % 17) - 8) / 8;
}
__host__ __device__ inline float value_of_b(int64_t i) {
  return static_cast<float>(static_cast<int>(mixed(static_cast<uint32_t>(i) ^ 0x5bd1e995U) % 17) -
                            8) /
         8;
}

inline unsigned blocks_for(int64_t threads, int block = kThreads) {
  return static_cast<unsigned>((threads + block - 1) / block);
}

template <class... Parameters>
std::function<void(cudaStream_t)> launch_of(void (*kernel)(Parameters...), dim3 grid, dim3 block,
                                            std::common_type_t<Parameters>... arguments) {
  return [=](cudaStream_t stream) { launch(kernel, {grid, block, 0, stream}, arguments...); };
}

// Calls `is_right` for every element of a result and counts the failures.
template <class IsRight>
__global__ void count_wrong(int64_t count, IsRight is_right, unsigned long long* wrong) {
  unsigned long long bad = 0;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count;
       i += stride) {
    bad += is_right(i) ? 0 : 1;
  }
  if (bad != 0) atomicAdd(wrong, bad);
}

template <class IsRight>
std::function<void(cudaStream_t)> checker(const Arrays& x, int64_t count, IsRight is_right) {
  return launch_of(count_wrong<IsRight>, x.processors * 8, kThreads, count, is_right, x.wrong);
}

// A form over whole arrays that reads `reads` of them, writes one, and moves nothing else.
inline GpuForm plain(const Arrays& x, const char* operation, std::string form, const char* element,
                     int reads, const char* limit = "") {
  const int64_t bytes = (reads + 1) * x.bytes();
  if (x.in_cache && limit[0] == '\0') limit = "a pass takes a few µs, so launch and tail matter";
  return {operation, std::move(form), element, x.level, x.set(), bytes, bytes, "", limit};
}

// Adds the cases of each file that fit these arrays.
void add_stream_cases(const Arrays& x, Cases& cases);
void add_async_cases(const Arrays& x, Cases& cases);
void add_reduction_cases(const Arrays& x, Cases& cases);
void add_tile_cases(const Arrays& x, Cases& cases);
void add_order_cases(const Arrays& x, Cases& cases);
void add_norm_cases(const Arrays& x, Cases& cases);
void add_cluster_cases(const Arrays& x, Cases& cases);
void add_persistence_cases(const Arrays& x, Cases& cases);
// Releases the part of the L2 cache that a window reserved.
void forget_persistence();

// Compares Arrays::result with the sum of the first `count` numbers of a.
std::function<void(cudaStream_t)> sum_checker(const Arrays& x, int64_t count);

// Host transfers are timed separately: they do not all use one stream.
std::vector<GpuMeasured> measure_transfers(int64_t bytes, bool quick, void* device, void* other,
                                           std::string& problem);
std::vector<GpuMeasured> measure_managed(int64_t bytes, bool quick, void* to, std::string& problem);

}  // namespace tacho::gpubench
