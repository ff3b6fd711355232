#pragma once

#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "base/terminal.h"
#include "predict/rent/regret.h"
#include "predict/speed/own_run.h"

namespace tacho {

struct RegretOfSweeps {
  std::string machine;  // "NVIDIA H200"
  HeldOut held_out = HeldOut::configurations;
  RegretScore score;
};

// Treats the runs of each model on one machine as a sweep and recommends the configuration with the
// cheapest samples.
Result<std::vector<RegretOfSweeps>> evaluate_recommendations(const std::vector<OwnRun>& runs);

// Evaluates published figures of single GPUs with a known price: a model's figures by one source
// with one stack, over GPUs, batches and precisions, are a sweep. All figures of its model are held
// out. Takes minutes.
Result<RegretOfSweeps> evaluate_published_recommendations();

Json regret_json(const std::vector<RegretOfSweeps>& scores);
std::string regret_table(const std::vector<RegretOfSweeps>& scores, const Terminal& terminal);

}  // namespace tacho
