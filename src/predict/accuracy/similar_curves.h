#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "predict/accuracy/curve_prediction.h"
#include "predict/accuracy/training_run.h"

namespace tacho {

// Accuracy after each epoch of a training that has not begun: the weighted mean of published
// trainings, which count less the more their batch, learning rate, number of samples per step or
// model differ. The schedules of these trainings drop the rate at fixed epochs, so epochs are
// compared one by one. The GPU does not matter.
class SimilarCurves {
 public:
  explicit SimilarCurves(std::span<const TrainingRun> runs);

  // Abstains with ErrorCode::unavailable if no training is similar or long enough. Intervals are
  // those that hold 90 % of the errors of the trainings' own predictions from the others, at
  // similar epochs, and grow with the distance to the nearest training.
  [[nodiscard]] Result<std::vector<CurvePrediction>> predict(const TrainingSetup& setup,
                                                             std::span<const double> epochs) const;

 private:
  struct Known {
    TrainingSetup setup;
    std::vector<double> top1;  // after each epoch, mean of the ranks
  };
  struct Miss {
    double epoch = 0;
    double error = 0;  // relative to the uncertainty that the distance explains
  };
  // Returns NaN for epochs that no training but `left_out` reached.
  [[nodiscard]] std::vector<double> means(const TrainingSetup& setup,
                                          std::span<const double> epochs,
                                          const Known* left_out = nullptr) const;
  // Returns the squared distance to the nearest training but `left_out`.
  [[nodiscard]] double nearest(const TrainingSetup& setup, const Known* left_out = nullptr) const;
  // Returns the half of the interval with a training of the same settings at hand.
  [[nodiscard]] double half_width(double epoch) const;

  std::vector<Known> known_;
  std::vector<Miss> misses_;  // by ascending error
};

// Returns the probability that the best accuracy of the epochs reaches the target.
double chance_to_reach(double target, std::span<const CurvePrediction> predictions);

}  // namespace tacho
