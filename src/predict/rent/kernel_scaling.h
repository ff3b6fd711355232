#pragma once

#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/estimate.h"

namespace tacho {

// Rates from a GPU's data sheet.
struct GpuRates {
  double fp32 = 0;  // outside the tensor cores; any unit, the same for both GPUs
  double tensor = 0;
  double memory = 0;  // GB/s
};

// The limit of a kind of kernel.
enum class KernelBound { arithmetic, tensor_cores, memory };

// Threads of a kernel that uses all of the memory bandwidth of any GPU.
inline constexpr double kFillsAnyGpu = std::numeric_limits<double>::infinity();

// The measured times of one step on a GPU, in seconds.
struct MeasuredStep {
  struct Kernels {
    KernelBound bound = KernelBound::memory;
    double seconds = 0;
    double threads = kFillsAnyGpu;  // of a launch
  };
  std::vector<Kernels> kernels;
  double waiting = 0;    // GPU idle, independent of the GPU: input, the host
  double host_work = 0;  // the host's work for a step, a lower bound
};

// Scales a step to another GPU: memory-bound kernels with the bandwidth that their threads can use,
// arithmetic with the peak, tensor-core kernels with one third of that and the rest of the
// bandwidth. The interval is that of published speeds of traced programs ('tacho evaluate --split
// traced'); nearly equal GPUs differ by 11 % in published figures.
Estimate step_on_another(const MeasuredStep& step, const GpuRates& from, const GpuRates& to);

}  // namespace tacho
