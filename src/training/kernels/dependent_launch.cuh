#pragma once

// Programmatic dependent launch: the blocks of a kernel become resident while the last blocks of
// the previous kernel still run, and wait there. Needs Hopper or newer; on older GPUs a kernel
// starts when the previous one has finished.

#include <cuda_runtime.h>

#include "training/kernels/kernels.h"

namespace tacho::kernels {

// Called in the previous kernel: the next kernel may start as soon as there is room.
__device__ inline void allow_dependents() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
}

// Called in the dependent kernel before it reads what the previous kernel writes or overwrites what
// it reads.
__device__ inline void wait_for_previous() {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

inline bool supports_dependent_launch() {
  int device = 0;
  int major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  return major >= 9;
}

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  Stream stream;
  bool dependent = true;
};

// Launches a kernel that calls wait_for_previous() after the kernel launched last on the stream.
template <class... Parameters, class... Arguments>
void launch_dependent(void (*kernel)(Parameters...), const LaunchConfig& launch,
                      Arguments... arguments) {
  cudaLaunchAttribute dependent{};
  dependent.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  dependent.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config{};
  config.gridDim = launch.grid;
  config.blockDim = launch.block;
  config.stream = launch.stream;
  config.attrs = &dependent;
  config.numAttrs = launch.dependent && supports_dependent_launch() ? 1 : 0;
  cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace tacho::kernels
