#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/result.h"
#include "predict/speed/boosted_trees.h"
#include "predict/speed/covariance_kernel.h"
#include "predict/speed/neighbours.h"

namespace tacho {

// A job before its error is corrected.
struct CorrectionCase {
  CodedPoint point;
  NumberFormat format = NumberFormat::fp32;
  Posterior posterior;
};

// Gradient-boosted trees fitted to the errors of the neighbours' posterior on held-out groups. Uses
// numbers only, no names, so that it generalises to new hardware and models; never predicts longer
// for a GPU with a higher peak.
class Correction {
 public:
  static constexpr std::size_t kFeatures = kMeasures + 5;
  using Features = std::array<float, kFeatures>;
  static Features features_of(const CorrectionCase& situation);

  // Fits trees; fails with ErrorCode::unavailable in a build without XGBoost (fit_correction.cpp).
  // `errors`: log(measured / posterior).
  static Result<Correction> learn(std::span<const CorrectionCase> situations,
                                  std::span<const float> errors, std::span<const float> weights,
                                  std::size_t threads);
  static Result<Correction> read(const Json& trees);
  [[nodiscard]] const Json& json() const { return trees_.json(); }

  // Returns the logarithm to add to the posterior's mean, for each situation.
  [[nodiscard]] std::vector<float> predict(std::span<const CorrectionCase> situations) const;

 private:
  explicit Correction(BoostedTrees trees) : trees_(std::move(trees)) {}

  BoostedTrees trees_;
};

}  // namespace tacho
