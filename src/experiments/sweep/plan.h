#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/record/run_folder.h"
#include "experiments/sweep/grid.h"

namespace tacho {

// One run of a sweep: its configuration and what to execute.
struct PlannedRun {
  Configuration configuration;
  std::int64_t repetition = 1;  // from 1
  RunOrder asked;               // without a key
};

// Parses the command of a program to watch.
using ReadProgram = std::function<Result<RunOrder>(const std::vector<std::string>& argv,
                                                   const Configuration& configuration)>;
// Estimates the cost of a run relative to others, in any unit.
using EstimateCost = std::function<Result<double>(const RunOrder& order)>;

struct PlanReaders {
  ReadProgram program;
  EstimateCost cost;  // for order: cheapest-first
};

// Returns every run of a grid in the order of execution; with `order: adaptive` in the order of the
// file, because the sweep chooses the order later. An error names the invalid configuration.
Result<std::vector<PlannedRun>> plan_runs(const Grid& grid, const PlanReaders& readers);

}  // namespace tacho
