#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "predict/own_model_costs.h"
#include "predict/own_run.h"

namespace tacho {

// How far forecasts of configurations were off that were left out with all their repetitions.
struct OwnScore {
  std::string machine;
  std::string part;  // "all", "CUDA graphs", "launch by launch"
  std::size_t configurations = 0;
  std::size_t refused = 0;  // said that they cannot be known, and not counted below
  double median_error = 0;  // |foretold − measured| / measured
  double p95_error = 0;
  double mean_error = 0;
  double mean_absolute = 0;  // |foretold − measured|, in the figure's own unit
  double root_mean_square = 0;
  double most_too_low = 0;  // the worst (measured − foretold) / measured
  double coverage = 0;      // share of measurements within the 90 % interval
  // What no forecast gets below: how far two measurements of one configuration are apart.
  std::size_t repeated = 0;  // configurations that were measured more than once
  double repeat_median = 0;
  double repeat_p95 = 0;
  double repeat_mean = 0;
  // The mean error of a forecast that knew the truth: what is measured is itself off by this.
  double least_mean_error = 0;
};

struct OwnEvaluation {
  std::vector<OwnScore> step;
  std::vector<OwnScore> memory;
};

// Machines with fewer configurations than twice the folds are left out.
Result<OwnEvaluation> evaluate_own(std::span<const OwnRun> runs, const OwnModelCosts& costs,
                                   std::size_t folds, std::uint64_t seed);

}  // namespace tacho
