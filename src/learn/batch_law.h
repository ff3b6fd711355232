#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "learn/range.h"

namespace tacho {

// A training that reached its target: with which batch, in how many epochs.
struct BatchPoint {
  double batch = 0;
  double epochs = 0;
  std::string recipe;  // recipes differ by a factor
};

// epochs(B) = E · (1 + B / B_noise): up to the scale of the gradient's noise a larger batch saves
// steps, beyond it only epochs are spent (McCandlish et al. 2018). Fitted robustly to the
// logarithm; every batch size counts with the root of how often it was used, because popular ones
// repeat one choice.
class BatchLaw {
 public:
  // At least one point. With few batch sizes B_noise stays near what most tasks have, and the
  // range says how little that is.
  static BatchLaw fit(std::span<const BatchPoint> points);

  [[nodiscard]] Range epochs(double batch, const std::string& recipe) const;
  [[nodiscard]] double noise_scale() const;

 private:
  struct Hypothesis {
    double noise_scale = 0;
    double weight = 0;
    std::vector<double> least;  // log E, one a recipe
  };
  [[nodiscard]] std::optional<std::size_t> place_of(const std::string& recipe) const;

  std::vector<std::string> recipes_;
  std::vector<Hypothesis> hypotheses_;
  double spread_ = 0;  // of single trainings around the law, in logarithms
};

}  // namespace tacho
