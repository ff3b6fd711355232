#pragma once

// Kernels of which one follows the other closely: its blocks are put in place while the last of the
// one before are at work, and wait there. From Hopper on; elsewhere one begins when the other has
// ended.

#include <cuda_runtime.h>

#include "kernels/kernels.h"

namespace tacho::kernels {

// In the one before: the next may be put in place, as soon as there is room.
__device__ inline void let_next_come() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// In the next, ahead of everything that the one before wrote, or still reads.
__device__ inline void wait_for_last() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

inline bool can_follow_closely() {
  int device = 0;
  int major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  return major >= 9;
}

struct Place {
  dim3 grid;
  dim3 block;
  Stream stream;
  bool closely = true;
};

// A kernel that calls wait_for_last(), behind the one that was launched last on the stream.
template <class... Parameters, class... Arguments>
void launch_behind(void (*kernel)(Parameters...), const Place& place, Arguments... arguments) {
  cudaLaunchAttribute closely{};
  closely.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  closely.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = place.grid;
  config.blockDim = place.block;
  config.stream = place.stream;
  config.attrs = &closely;
  config.numAttrs = place.closely && can_follow_closely() ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace tacho::kernels
