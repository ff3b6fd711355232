#pragma once

#include <span>
#include <vector>

#include "advise/trial.h"
#include "learn/dense.h"
#include "learn/range.h"

namespace tacho {

// What trials are believed to cost by those that were made: a Gaussian process over the logarithm
// of the cost (of what a predictor got wrong about it, where all trials were foretold). Options
// with numbers are near each other by the ratio of these, others are the same or not. How far one
// trial tells of another is chosen by what makes the measured costs most likely.
class CostBelief {
 public:
  explicit CostBelief(std::span<const Trial> trials);

  [[nodiscard]] std::size_t size() const { return mean_.size(); }
  [[nodiscard]] Range cost(std::size_t trial) const;
  [[nodiscard]] double mean(std::size_t trial) const { return mean_[trial]; }  // of the logarithm
  [[nodiscard]] double deviation(std::size_t trial) const;
  // By how much the logarithm of `other`'s cost is expected to move, either way, when `trial` is
  // measured.
  [[nodiscard]] std::vector<double> shifts(std::size_t trial) const;
  // As if `trial` had been measured, and had cost what is believed.
  void suppose(std::size_t trial);

 private:
  std::vector<double> mean_;
  SymmetricMatrix covariance_;
  double noise_ = 0;  // of one measurement, a deviation
};

}  // namespace tacho
