#pragma once

#include <span>
#include <string>
#include <vector>

#include "learn/range.h"

namespace tacho {

// The rates of a GPU's data sheet.
struct GpuRates {
  double fp32 = 0;  // outside the tensor cores; any unit, the same for both GPUs
  double tensor = 0;
  double memory = 0;
};

// What bounds a kind of kernel.
enum class KernelBound { arithmetic, tensor_cores, memory };

// What one step was measured to do on a GPU, in seconds.
struct MeasuredStep {
  struct Kernels {
    KernelBound bound = KernelBound::memory;
    double seconds = 0;
  };
  std::vector<Kernels> kernels;
  double waiting = 0;    // the GPU idle for what another GPU does not change: input, the host
  double host_work = 0;  // the host's own work for a step: none gets shorter
};

// The step on another GPU: kernels that read and write shrink with the memory's bandwidth,
// arithmetic with the peak, tensor cores with a third of that and the rest of the bandwidth. On 526
// pairs of published figures for one job on two GPUs (Volta and later), whole steps scaled so are
// off by 9 % in the middle and a factor of 1.65 in nine of ten; near twins by 11 %. The interval
// says so.
Range step_on_another(const MeasuredStep& step, const GpuRates& from, const GpuRates& to);

}  // namespace tacho
