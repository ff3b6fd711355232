#pragma once

#include <span>
#include <vector>

#include "base/estimate.h"
#include "predict/accuracy/dense.h"
#include "predict/rent/trial.h"

namespace tacho {

// The posterior cost of trials: a Gaussian process over the logarithm of the cost, relative to a
// predictor's cost if all trials have one. Numeric options are compared by their ratio, other
// options are equal or not. The covariance kernel's settings maximise the likelihood of the
// measured costs.
class CostPosterior {
 public:
  explicit CostPosterior(std::span<const Trial> trials);

  [[nodiscard]] std::size_t size() const { return mean_.size(); }
  [[nodiscard]] Estimate cost(std::size_t trial) const;
  [[nodiscard]] double mean(std::size_t trial) const { return mean_[trial]; }  // of the logarithm
  [[nodiscard]] double deviation(std::size_t trial) const;
  // Returns the expected shift, in either direction, of the logarithm of every trial's cost when
  // `trial` is measured.
  [[nodiscard]] std::vector<double> shifts(std::size_t trial) const;
  // Updates the covariance as if `trial` had been measured at its posterior mean.
  void suppose(std::size_t trial);

 private:
  std::vector<double> mean_;
  SymmetricMatrix covariance_;
  double noise_ = 0;  // standard deviation of one measurement
};

}  // namespace tacho
