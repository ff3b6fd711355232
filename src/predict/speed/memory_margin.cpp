#include "predict/speed/memory_margin.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace tacho {
namespace {

// A prediction that is lower than the measurement by this share counts as too low.
constexpr double kTooLow = 0.024;

}  // namespace

MemoryMargin::MemoryMargin(std::span<const PartsModel::LeftOut> cross_validated) {
  std::vector<double> deviations;
  for (const auto& one : cross_validated) {
    const double missing = std::max(0.0, one.error + std::log(1 - kTooLow));
    deviations.push_back(missing / one.deviation);
    double& most = of_models_[one.model];
    most = std::max(most, missing);
  }
  std::ranges::sort(deviations);
  if (!deviations.empty()) deviations_ = deviations[deviations.size() * 9 / 10];
}

double MemoryMargin::of(std::int16_t model, double deviation) const {
  const double unknown = deviations_ * deviation;
  const auto found = of_models_.find(model);
  return found == of_models_.end() ? unknown : std::max(found->second, unknown);
}

}  // namespace tacho
