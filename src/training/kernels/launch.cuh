#pragma once

// Every kernel of this folder starts here. A launch that fails throws std::runtime_error with the
// kernel's name and CUDA's error. A debug build also waits for the kernel, unless its stream is
// being captured, so that an error in it is reported with its name.

#include <cuda_runtime.h>

#include <optional>
#include <type_traits>

#include "training/kernels/kernels.h"

namespace tacho::kernels {

struct LaunchConfig {
  dim3 grid;
  dim3 block;
  size_t shared_bytes = 0;
  Stream stream = nullptr;
  std::optional<cudaLaunchAttribute> attribute = {};
};

// arguments: the address of each of the kernel's parameters.
void launch_untyped(const void* kernel, const LaunchConfig& config, void** arguments);

// common_type_t prevents deduction, so that arguments are converted as in a call.
template <class... Parameters>
void launch(void (*kernel)(Parameters...), const LaunchConfig& config,
            std::common_type_t<Parameters>... arguments) {
  void* addresses[] = {&arguments..., nullptr};
  launch_untyped(reinterpret_cast<const void*>(kernel), config, addresses);
}

// Programmatic dependent launch: the blocks of a kernel become resident while the last blocks of
// the previous kernel still run, and wait there. Needs Hopper or newer; on older GPUs, or if it is
// not wanted, there is no attribute and a kernel starts when the previous one has finished.
std::optional<cudaLaunchAttribute> dependent_launch(bool wanted = true);

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

}  // namespace tacho::kernels
