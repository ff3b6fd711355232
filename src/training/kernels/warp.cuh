#pragma once

#include <cuda_runtime.h>

namespace tacho::kernels {

constexpr int kLanes = 32;

// Sums over the lanes of a warp; all of them get the result.
__device__ inline float add_across(float value) {
#pragma unroll
  for (int step = kLanes / 2; step > 0; step /= 2) {
    value += __shfl_xor_sync(0xffffffffU, value, step);
  }
  return value;
}

__device__ inline float largest_across(float value) {
#pragma unroll
  for (int step = kLanes / 2; step > 0; step /= 2) {
    value = fmaxf(value, __shfl_xor_sync(0xffffffffU, value, step));
  }
  return value;
}

}  // namespace tacho::kernels
