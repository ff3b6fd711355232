#pragma once

#include <array>
#include <span>
#include <vector>

#include "predict/accuracy/curve_family.h"

namespace tacho {

// The prior of a family's parameters: independent normal distributions.
struct FamilyPrior {
  std::array<double, kMostParameters> mean = {1.5, 0, -1, -0.35};
  std::array<double, kMostParameters> deviation = {1.2, 1.2, 1.0, 0.5};
};

struct NormalEstimate {
  double value = 0;
  double deviation = 0;
};

// A family fitted to points: the most probable parameters and their curvature.
class FamilyFit {
 public:
  // `x` is 1 at the first point. `noise` is the error of single points; outliers count less.
  static FamilyFit of(const CurveFamily& family, std::span<const double> x,
                      std::span<const double> y, double noise, const FamilyPrior& prior);

  [[nodiscard]] NormalEstimate at(double x) const;
  [[nodiscard]] double value(double x) const { return family_->value(x, parameters_); }
  [[nodiscard]] const std::vector<double>& parameters() const { return parameters_; }
  // Half of the squared residuals and the squared distance from the prior.
  [[nodiscard]] double cost() const { return cost_; }

 private:
  friend class Fitter;
  const CurveFamily* family_ = nullptr;
  std::vector<double> parameters_;
  std::vector<double> information_;  // curvature of the cost, stored by row
  double cost_ = 0;
};

// Estimates the noise of single points around a smooth curve from second differences; at least
// `least`, also with too few points.
double noise_of(std::span<const double> accuracy, double least);

}  // namespace tacho
