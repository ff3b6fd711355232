#pragma once

#include <string>
#include <vector>

#include "advise/regret.h"
#include "base/result.h"

namespace tacho {

struct RegretOfSweeps {
  std::string machine;  // "NVIDIA H200"
  double usd_per_gpu_hour = 0;
  HeldOut held_out = HeldOut::configurations;
  RegretScore score;
};

// For files of 'tacho sweep export --csv': every model's runs on one machine are a sweep, from
// which the configuration is recommended whose samples are the cheapest.
Result<std::vector<RegretOfSweeps>> evaluate_recommendations(const std::vector<std::string>& files);

// For published figures of single GPUs that the catalogue has a price for: what one source measured
// of a model with one stack, over GPUs, batches and precisions, is a sweep; all that is known of
// its model is kept from the predictor. Takes minutes.
Result<RegretOfSweeps> evaluate_published_recommendations();

}  // namespace tacho
