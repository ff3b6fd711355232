#pragma once

#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "base/terminal.h"

namespace tacho {

// Errors of the speeds that a program traced on one GPU is predicted to have on others, relative to
// published speeds.
struct TracedScore {
  std::string program;   // "all" for the sum
  std::size_t gpus = 0;  // with a published speed; of "all": pairs of a program and a GPU
  double median_error = 0;
  double worst_error = 0;
  double coverage = 0;  // of 90 % intervals
};

// Scores data/catalog/traced_programs.csv against data/catalog/throughput.csv.
Result<std::vector<TracedScore>> evaluate_traced_programs();

std::string traced_scores_table(const std::vector<TracedScore>& scores, const Terminal& terminal);
Json traced_scores_json(const std::vector<TracedScore>& scores);

}  // namespace tacho
