#include "predict/accuracy/crossing.h"

#include <algorithm>
#include <cmath>

#include "core/record/statistics.h"

namespace tacho {
namespace {

constexpr int kStepsAhead = 200;
constexpr std::size_t kFewestPointsOfProgress = 5;
constexpr std::size_t kMostCurvesOfProgress = 200;

}  // namespace

std::optional<double> smooth_crossing(const KnownCurve& known, double target) {
  if (!known.smooth) return crossing(known.curve, target);
  const double end = kFurthestFollowed * known.curve.epochs.back();
  double before = 0;
  for (int i = 1; i <= kStepsAhead; ++i) {
    // Finer at the beginning, where curves are steep.
    const double epoch = end * std::pow(static_cast<double>(i) / kStepsAhead, 2);
    if (epoch < 0.25 * known.curve.epochs.front()) continue;
    if (known.smooth->value(epoch) >= target) return before == 0 ? epoch : (before + epoch) / 2;
    before = epoch;
  }
  return std::nullopt;
}

std::optional<double> crossing(const Curve& curve, double target) {
  for (std::size_t i = 0; i < curve.epochs.size(); ++i) {
    if (curve.accuracy[i] < target) continue;
    if (i == 0) return curve.epochs[0];
    const double share =
        (target - curve.accuracy[i - 1]) / (curve.accuracy[i] - curve.accuracy[i - 1]);
    return curve.epochs[i - 1] + share * (curve.epochs[i] - curve.epochs[i - 1]);
  }
  return std::nullopt;
}

double highest(const Curve& curve) { return std::ranges::max(curve.accuracy); }

Progress::Progress(std::span<const Curve> curves) {
  const std::size_t stride = curves.size() / kMostCurvesOfProgress + 1;
  for (std::size_t i = 0; i < curves.size(); i += stride) {
    if (curves[i].epochs.size() >= kFewestPointsOfProgress) curves_.push_back(&curves[i]);
  }
}

Estimate Progress::share_of_epochs(double share_of_accuracy) const {
  std::vector<double> shares;
  for (const Curve* curve : curves_) {
    const double top = highest(*curve);
    const auto early = crossing(*curve, std::min(1.0, share_of_accuracy) * top);
    const auto late = crossing(*curve, top);
    if (early && late) shares.push_back(*early / *late);
  }
  // Without curves, all that is known is that less accuracy takes no longer.
  if (shares.empty()) return {share_of_accuracy, std::min(0.1, share_of_accuracy), 1};
  return {median(shares), quantile(shares, 0.05), quantile(shares, 0.95)};
}

}  // namespace tacho
