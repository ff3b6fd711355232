#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "predict/likeness.h"

namespace tacho {

// Deviation of one published figure from another of the same job, in logarithms.
inline constexpr double kFigureNoise = 0.055;

// What is believed of a job's error: the logarithm of measured over modelled step time.
struct Belief {
  double mean = 0;
  double deviation = 0;
};

// The error to foretell: somewhat longer than the mean, the more so the less sure. Speeds are
// judged by how far they are off in shares of the truth, where twice too fast is worse than twice
// too slow; the least of that is expected between the mean and one variance above it.
[[nodiscard]] double foretold_error(const Belief& belief);

// Carries the errors of measured jobs over to others, each as far as the jobs are alike: the best
// linear unbiased prediction (kriging) under a Likeness.
class Neighbours {
 public:
  // `errors` are those of `points`, in logarithms. A measurement that contradicts its neighbours
  // weighs less the more it does. Takes seconds for thousands.
  static Result<Neighbours> learn(std::vector<CodedPoint> points, std::span<const double> errors,
                                  std::size_t threads);
  // What learn() found, kept in a file.
  static Neighbours known(std::vector<CodedPoint> points, std::vector<double> weights,
                          std::vector<double> noise);

  [[nodiscard]] Belief believe(const CodedPoint& point) const;
  [[nodiscard]] std::vector<Belief> believe(std::span<const CodedPoint> points,
                                            std::size_t threads) const;

  [[nodiscard]] const std::vector<double>& weights() const { return weights_; }
  [[nodiscard]] const std::vector<double>& noise() const { return noise_; }

 private:
  using Near = std::pair<float, std::uint32_t>;  // how like, and which lesson
  [[nodiscard]] double deviation(const CodedPoint& point, std::span<const Near> nearest) const;

  Likeness likeness_;
  std::vector<CodedPoint> points_;
  CodedColumns columns_;  // of the same points
  std::vector<double> weights_;
  std::vector<double> noise_;  // variances
};

}  // namespace tacho
