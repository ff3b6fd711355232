#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/estimate.h"

namespace tacho {

// A training that reached its target.
struct BatchPoint {
  double batch = 0;
  double epochs = 0;
  std::string recipe;  // recipes differ by a factor
};

// epochs(B) = E · (1 + B / B_noise): up to the noise scale of the gradient, a larger batch saves
// steps; beyond it, it only costs epochs (McCandlish et al. 2018). A robust fit to the logarithm,
// in which each batch size is weighted by the square root of its frequency, because popular ones
// repeat one choice.
class BatchLaw {
 public:
  // Needs at least one point. With few batch sizes, B_noise stays near the prior, and the interval
  // is wide.
  static BatchLaw fit(std::span<const BatchPoint> points);

  [[nodiscard]] Estimate epochs(double batch, const std::string& recipe) const;
  [[nodiscard]] double noise_scale() const;

 private:
  struct Hypothesis {
    double noise_scale = 0;
    double weight = 0;
    std::vector<double> least;  // log E per recipe
  };
  [[nodiscard]] std::optional<std::size_t> place_of(const std::string& recipe) const;

  std::vector<std::string> recipes_;
  std::vector<Hypothesis> hypotheses_;
  double spread_ = 0;  // of single trainings around the law, in logarithms
};

}  // namespace tacho
