#pragma once

#include <array>
#include <span>
#include <vector>

#include "predict/speed/cholesky.h"
#include "predict/speed/neighbours.h"
#include "predict/speed/run_point.h"

namespace tacho {

// The quantity that is predicted.
enum class Figure : std::uint8_t { step, memory };

struct PartsExample {
  RunPoint point;
  double log_value = 0;  // of seconds or bytes: mean of the repetitions
  double repetitions = 1;
  std::vector<double> each = {};  // of each repetition; empty for a single one
};

// Scales of the covariance and the noise, chosen by the likelihood of held-out examples.
struct PartsTuning {
  double covariance = 1;    // factor for the deviations between the parts of runs
  double drift = 1;         // factor for the deviations from the sum of the parts
  double noise = 0.01;      // of a measurement
  double host_noise = 0.1;  // of a measurement that is limited by the host
};

// Models a quantity as max((fixed + samples) · drift, host). Each part is its nominal value times a
// factor, a Gaussian process over runs; the joint posterior of the parts is computed by
// Gauss–Newton linearisation.
class PartsModel {
 public:
  static Result<PartsModel> learn(Figure figure, std::vector<PartsExample> examples,
                                  const PartsTuning& tuning);
  // Uses the tuning with the highest likelihood.
  static Result<PartsModel> learn(Figure figure, const std::vector<PartsExample>& examples);

  // Returns the posterior of a new measurement, in logarithms.
  [[nodiscard]] Posterior predict(const RunPoint& point) const;

  // The prediction of an example from the others.
  struct LeftOut {
    double error = 0;  // measured minus predicted
    double deviation = 0;
    std::int16_t model = 0;  // label of the example
  };
  // Refits without whole folds: slower, and closer to predicting a new configuration. Returns one
  // result per repetition, because a prediction is for a single run.
  [[nodiscard]] Result<std::vector<LeftOut>> cross_validate(std::size_t folds) const;
  // Log-likelihood of the examples given the others; higher is better.
  [[nodiscard]] double log_likelihood() const;

 private:
  struct Slope {  // derivatives of the logarithm by the logarithm of each part
    double value = 0;
    RunParts by{};
  };
  PartsModel(Figure figure, std::vector<PartsExample> examples, const PartsTuning& tuning);
  [[nodiscard]] const RunParts& nominal(const RunPoint& point) const;
  [[nodiscard]] static Slope slope(const RunParts& logs);
  // Returns the covariance of a part's factor for two runs.
  [[nodiscard]] double common(Part part, const RunPoint& a, const RunPoint& b) const;
  [[nodiscard]] double noise(const Slope& slope) const;
  [[nodiscard]] Slope at(std::size_t example) const;
  [[nodiscard]] std::int16_t model_label(std::size_t example) const;
  Result<void> settle();
  Result<void> solve(const std::vector<Slope>& slopes);
  void judge(const Cholesky& factor);

  Figure figure_;
  std::vector<PartsExample> examples_;
  PartsTuning tuning_;
  EnumArray<Part, std::vector<double>, kParts> covariance_;
  std::vector<double> doubt_;      // factor for the noise; outliers count less
  std::vector<RunParts> factors_;  // in logarithms, of each example's parts
  std::vector<Slope> slopes_;
  std::vector<double> weights_;
  std::vector<Cholesky> factor_;  // one element, once settled
  std::vector<LeftOut> left_out_;
};

}  // namespace tacho
