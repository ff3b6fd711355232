#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "experiments/sweep/grid.h"
#include "experiments/sweep/plan.h"

namespace tacho {

// The file of a grid with its runs.
struct SweepPlan {
  std::string text;
  Grid grid;
  std::vector<PlannedRun> runs;
};
Result<SweepPlan> read_sweep_plan(const std::filesystem::path& file);

// Returns the runs of a grid; error messages start with `place`.
Result<std::vector<PlannedRun>> planned_runs(const Grid& grid, std::string_view place);

}  // namespace tacho
