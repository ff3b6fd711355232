#include "predict/rent/kernel_scaling.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

constexpr double kTensorShare = 0.35;
// Half widths of the 90 % interval, in logarithms: for similar GPUs and for different ones.
constexpr double kHalfSimilar = 0.11;
constexpr double kHalfDifferent = 0.47;
// GPUs are different if the logarithms of their rates differ by this.
constexpr double kDifferent = 0.3;

// By Little's law: a load takes about 600 ns, and a thread has about 16 bytes in flight.
constexpr double kThreadsPerGbPerS = 600.0 / 16;

// Kernels with fewer threads than a GPU needs for its bandwidth, such as batch norms with one block
// per channel, lose less on a GPU with less bandwidth.
double used_bandwidth(const GpuRates& gpu, double threads) {
  return std::min(gpu.memory, threads / kThreadsPerGbPerS);
}

double factor_of(const MeasuredStep::Kernels& kernels, const GpuRates& from, const GpuRates& to) {
  const double memory = from.memory / to.memory;
  switch (kernels.bound) {
    case KernelBound::arithmetic:
      return from.fp32 / to.fp32;
    case KernelBound::tensor_cores:
      return std::pow(from.tensor / to.tensor, kTensorShare) * std::pow(memory, 1 - kTensorShare);
    case KernelBound::memory:
      break;
  }
  return used_bandwidth(from, kernels.threads) / used_bandwidth(to, kernels.threads);
}

}  // namespace

Estimate step_on_another(const MeasuredStep& step, const GpuRates& from, const GpuRates& to) {
  double busy = 0;
  double distance = 0;
  for (const MeasuredStep::Kernels& kernels : step.kernels) {
    const double factor = factor_of(kernels, from, to);
    busy += kernels.seconds * factor;
    distance = std::max(distance, std::abs(std::log(factor)));
  }
  const double half =
      kHalfSimilar + (kHalfDifferent - kHalfSimilar) * std::min(1.0, distance / kDifferent);
  const auto whole = [&](double kernels) {
    return std::max(kernels + step.waiting, step.host_work);
  };
  return {whole(busy), whole(busy * std::exp(-half)), whole(busy * std::exp(half))};
}

}  // namespace tacho
