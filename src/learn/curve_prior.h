#pragma once

#include <span>
#include <vector>

#include "learn/curve.h"
#include "learn/family_fit.h"

namespace tacho {

class FamilyMixture;

// What known curves make one expect of another: a prior for each of curve_families().
class CurvePrior {
 public:
  // Knows next to nothing.
  CurvePrior();

  // Drawn towards the parameters that `curves` were fitted with; with few of them it stays close
  // to where it begins.
  static CurvePrior learned(std::span<const FamilyMixture* const> curves);

  [[nodiscard]] const FamilyPrior& of(std::size_t family) const { return families_[family]; }

 private:
  std::vector<FamilyPrior> families_;
};

// All families fitted to one curve, weighted by how well each does.
class FamilyMixture {
 public:
  FamilyMixture(const Curve& curve, const CurvePrior& prior);

  [[nodiscard]] Estimate at(double epoch) const;
  [[nodiscard]] double value(double epoch) const;  // without its deviation
  [[nodiscard]] const std::vector<FamilyFit>& fits() const { return fits_; }

 private:
  double unit_;  // the first point's epoch: what families call x = 1
  std::vector<FamilyFit> fits_;
  std::vector<double> weights_;
};

}  // namespace tacho
