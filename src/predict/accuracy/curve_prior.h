#pragma once

#include <span>
#include <vector>

#include "predict/accuracy/curve.h"
#include "predict/accuracy/family_fit.h"

namespace tacho {

class FamilyMixture;

// A prior for each of curve_families(), learned from known curves.
class CurvePrior {
 public:
  // A weak prior.
  CurvePrior();

  // Moves the prior towards the parameters that `curves` were fitted with; with few of them it
  // stays close to the base prior.
  static CurvePrior learned(std::span<const FamilyMixture* const> curves);

  [[nodiscard]] const FamilyPrior& of(std::size_t family) const { return families_[family]; }

 private:
  std::vector<FamilyPrior> families_;
};

// All families fitted to one curve, weighted by their fit.
class FamilyMixture {
 public:
  FamilyMixture(const Curve& curve, const CurvePrior& prior);

  [[nodiscard]] NormalEstimate at(double epoch) const;
  [[nodiscard]] double value(double epoch) const;  // the mean alone
  [[nodiscard]] const std::vector<FamilyFit>& fits() const { return fits_; }

 private:
  double unit_;  // the epoch of the first point, which is x = 1
  std::vector<FamilyFit> fits_;
  std::vector<double> weights_;
};

}  // namespace tacho
