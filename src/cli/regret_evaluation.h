#pragma once

#include <string>
#include <vector>

#include "advise/regret.h"
#include "base/json_object.h"
#include "base/result.h"
#include "base/terminal.h"
#include "predict/own_run.h"

namespace tacho {

struct RegretOfSweeps {
  std::string machine;  // "NVIDIA H200"
  HeldOut held_out = HeldOut::configurations;
  RegretScore score;
};

// Every model's runs on one machine are a sweep, from which the configuration is recommended whose
// samples are the cheapest.
Result<std::vector<RegretOfSweeps>> evaluate_recommendations(const std::vector<OwnRun>& runs);

// For published figures of single GPUs that the catalogue has a price for: what one source measured
// of a model with one stack, over GPUs, batches and precisions, is a sweep; all that is known of
// its model is kept from the predictor. Takes minutes.
Result<RegretOfSweeps> evaluate_published_recommendations();

Json regret_json(const std::vector<RegretOfSweeps>& scores);
std::string regret_table(const std::vector<RegretOfSweeps>& scores, const Terminal& terminal);

}  // namespace tacho
