#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "predict/speed/own_model_costs.h"
#include "predict/speed/own_run.h"

namespace tacho {

// Errors for configurations that were held out with all their repetitions.
struct OwnScore {
  std::string machine;
  std::string part;  // "all", "CUDA graphs", "launch by launch"
  std::size_t configurations = 0;
  std::size_t refused = 0;  // abstentions, not counted below
  double median_error = 0;  // |predicted − measured| / measured
  double p95_error = 0;
  double mean_error = 0;
  double mean_absolute = 0;  // |predicted − measured|, in the unit of the metric
  double root_mean_square = 0;
  double most_too_low = 0;  // the largest (measured − predicted) / measured
  double coverage = 0;      // share of measurements within the 90 % interval
  // Differences between two measurements of one configuration, a lower bound for the error.
  std::size_t repeated = 0;  // configurations measured more than once
  double repeat_median = 0;
  double repeat_p95 = 0;
  double repeat_mean = 0;
  // The mean error of a prediction of the true mean, because measurements have errors themselves.
  double least_mean_error = 0;
};

struct OwnEvaluation {
  std::vector<OwnScore> step;
  std::vector<OwnScore> memory;
};

// Ignores machines with fewer configurations than twice the folds.
Result<OwnEvaluation> evaluate_own(std::span<const OwnRun> runs, const OwnModelCosts& costs,
                                   std::size_t folds, std::uint64_t seed);

}  // namespace tacho
