#include "advise/kernel_scaling.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

constexpr double kTensorShare = 0.35;
// How far nine of ten pairs are off, in logarithms: of GPUs that are nearly alike, and of others.
constexpr double kOffAlike = 0.11;
constexpr double kOffOthers = 0.6;
constexpr double kNotAlike = 0.3;  // the logarithm of rates apart, from which on they are others

double factor_of(KernelBound bound, const GpuRates& from, const GpuRates& to) {
  const double memory = from.memory / to.memory;
  switch (bound) {
    case KernelBound::arithmetic:
      return from.fp32 / to.fp32;
    case KernelBound::tensor_cores:
      return std::pow(from.tensor / to.tensor, kTensorShare) * std::pow(memory, 1 - kTensorShare);
    case KernelBound::memory:
      break;
  }
  return memory;
}

}  // namespace

Range step_on_another(const MeasuredStep& step, const GpuRates& from, const GpuRates& to) {
  double busy = 0;
  double apart = 0;
  for (const MeasuredStep::Kernels& kernels : step.kernels) {
    const double factor = factor_of(kernels.bound, from, to);
    busy += kernels.seconds * factor;
    apart = std::max(apart, std::abs(std::log(factor)));
  }
  const double half = kOffAlike + (kOffOthers - kOffAlike) * std::min(1.0, apart / kNotAlike);
  const auto whole = [&](double kernels) {
    return std::max(kernels + step.waiting, step.host_work);
  };
  return {whole(busy), whole(busy * std::exp(-half)), whole(busy * std::exp(half))};
}

}  // namespace tacho
