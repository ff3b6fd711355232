#pragma once

#include <optional>
#include <span>

#include "base/estimate.h"
#include "predict/accuracy/curve.h"
#include "predict/accuracy/reference_curves.h"

namespace tacho {

inline constexpr double kFurthestFollowed = 4;  // times the length of the curve
// Returns the epoch at which the smoothed, extrapolated curve reaches the target, or nothing.
std::optional<double> smooth_crossing(const KnownCurve& known, double target);

// Returns the epoch at which the linearly interpolated curve first reaches the target, or nothing.
std::optional<double> crossing(const Curve& curve, double target);

// Returns the highest accuracy of a curve.
double highest(const Curve& curve);

// How training progresses: the share of the epochs up to its highest accuracy after which a curve
// reaches a share of that accuracy. From curves with at least five points.
class Progress {
 public:
  explicit Progress(std::span<const Curve> curves);
  // Median of the curves, with the interval that 90 % of them are in.
  [[nodiscard]] Estimate share_of_epochs(double share_of_accuracy) const;

 private:
  std::vector<const Curve*> curves_;
};

}  // namespace tacho
