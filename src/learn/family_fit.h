#pragma once

#include <array>
#include <span>
#include <vector>

#include "learn/curve_family.h"

namespace tacho {

// What is believed of a family's parameters before a curve is seen: independent normals.
struct FamilyPrior {
  std::array<double, kMostParameters> mean = {1.5, 0, -1, -0.35};
  std::array<double, kMostParameters> deviation = {1.2, 1.2, 1.0, 0.5};
};

struct Estimate {
  double value = 0;
  double deviation = 0;
};

// One family fitted to points: the most probable parameters and how sharp that is.
class FamilyFit {
 public:
  // `x` counts from 1. `noise` is what single points are off by; gross outliers count less.
  static FamilyFit of(const CurveFamily& family, std::span<const double> x,
                      std::span<const double> y, double noise, const FamilyPrior& prior);

  [[nodiscard]] Estimate at(double x) const;
  [[nodiscard]] double value(double x) const { return family_->value(x, parameters_); }
  [[nodiscard]] const std::vector<double>& parameters() const { return parameters_; }
  // Half of what the fit pays: squared residuals and distance from the prior.
  [[nodiscard]] double cost() const { return cost_; }

 private:
  friend class Fitter;
  const CurveFamily* family_ = nullptr;
  std::vector<double> parameters_;
  std::vector<double> information_;  // the fit's curvature, row by row
  double cost_ = 0;
};

// How far single points lie from a smooth curve, by their second differences; no less than
// `least`, which is also the answer where there are too few points to tell.
double noise_of(std::span<const double> accuracy, double least);

}  // namespace tacho
