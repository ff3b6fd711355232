#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "predict/speed/covariance_kernel.h"

namespace tacho {

// Standard deviation between published figures of the same job, in logarithms.
inline constexpr double kFigureNoise = 0.055;

// Posterior of a job's error: the logarithm of measured over modelled step time.
struct Posterior {
  double mean = 0;
  double deviation = 0;
};

// Returns the error to predict: above the mean, increasing with uncertainty. Relative errors of
// speeds penalise twice too fast more than twice too slow; the expected minimum is between the mean
// and one variance above it.
[[nodiscard]] double prediction_error(const Posterior& posterior);

// Carries the errors of measured jobs over to similar ones: the best linear unbiased prediction
// (kriging) with a CovarianceKernel.
class Neighbours {
 public:
  // `errors` of `points` are logarithms. Measurements that contradict their neighbours get less
  // weight. Takes seconds for thousands of points.
  static Result<Neighbours> learn(std::vector<CodedPoint> points, std::span<const double> errors,
                                  std::size_t threads);
  // Restores the result of learn() from a file.
  static Neighbours known(std::vector<CodedPoint> points, std::vector<double> weights,
                          std::vector<double> noise);

  [[nodiscard]] Posterior predict(const CodedPoint& point) const;
  [[nodiscard]] std::vector<Posterior> predict(std::span<const CodedPoint> points,
                                               std::size_t threads) const;

  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  [[nodiscard]] const std::vector<double>& noise() const { return noise_; }

 private:
  using Near = std::pair<float, std::uint32_t>;  // covariance and index of an example
  [[nodiscard]] double deviation(const CodedPoint& point, std::span<const Near> nearest) const;

  CovarianceKernel covariance_;
  std::vector<CodedPoint> points_;
  CodedColumns columns_;  // the same points
  std::vector<double> weights_;
  std::vector<double> noise_;  // variances
};

}  // namespace tacho
