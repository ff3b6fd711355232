#pragma once

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace tacho {

// Half the width of an interval that covers 90 % of errors of held-out groups; every group has the
// same weight, however many errors it has.
class HeldOutReach {
 public:
  void add(const std::vector<double>& absolute_errors) {
    if (absolute_errors.empty()) return;
    for (const double error : absolute_errors) {
      errors_.emplace_back(error, 1 / static_cast<double>(absolute_errors.size()));
    }
    groups_ += 1;
  }

  // Not less than `unmeasured` if there are too few groups to measure it.
  [[nodiscard]] double reach(double unmeasured) const {
    constexpr double kFewestGroups = 8;
    if (errors_.empty()) return unmeasured;
    auto sorted = errors_;
    std::ranges::sort(sorted);
    // The group to predict may be worse than all that were held out.
    const double wanted = std::min(groups_, 0.9 * (groups_ + 1));
    double sum = 0;
    double reach = sorted.back().first;
    for (const auto& [error, weight] : sorted) {
      sum += weight;
      if (sum < wanted) continue;
      reach = error;
      break;
    }
    return groups_ < kFewestGroups ? std::max(reach, unmeasured) : reach;
  }

 private:
  std::vector<std::pair<double, double>> errors_;
  double groups_ = 0;
};

}  // namespace tacho
