#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "predict/accuracy/dense.h"
#include "predict/accuracy/family_fit.h"

namespace tacho {

// An effect of a model: a kind of quantity and the level it belongs to, such as the cost of a step
// on P40. Every level of a kind has the same prior.
struct Effect {
  std::size_t kind = 0;
  std::string level;
  auto operator<=>(const Effect&) const = default;
};

struct EffectPrior {
  double mean = 0;
  double deviation = 1;
};

// A value that a function of some effects predicts. `value` gets the effects in the order of
// `effects`.
struct EffectsPoint {
  std::vector<Effect> effects;
  std::function<double(std::span<const double>)> value;
};

// Effects fitted to measurements by regularised least squares. The loss grows linearly for large
// residuals (soft L1), so that neither single measurements nor priors dominate. Effects that no
// measurement has keep their prior.
class EffectsFit {
 public:
  struct Measurement {
    EffectsPoint point;
    double value = 0;
  };
  // `noise` is the standard deviation of a measurement.
  EffectsFit(std::vector<EffectPrior> priors, double noise,
             std::span<const Measurement> measurements);

  // With the uncertainty of the effects and the noise.
  [[nodiscard]] NormalEstimate at(const EffectsPoint& point) const;

 private:
  [[nodiscard]] std::vector<double> values_of(const EffectsPoint& point) const;
  [[nodiscard]] double cost(std::span<const Measurement> measurements,
                            const std::vector<double>& effects) const;
  void minimise(std::span<const Measurement> measurements);

  std::vector<EffectPrior> priors_;
  double noise_;
  std::map<Effect, std::size_t> places_;
  std::vector<std::size_t> kinds_;  // of each fitted effect
  std::vector<double> effects_;
  std::optional<SymmetricFactor> information_;
};

}  // namespace tacho
