#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"
#include "sweep/grid.h"
#include "sweep/plan.h"

namespace tacho {

// A grid's file and the runs that come of it.
struct SweepPlan {
  std::string text;
  Grid grid;
  std::vector<PlannedRun> runs;
};
Result<SweepPlan> read_sweep_plan(const std::filesystem::path& file);

// Of a grid that was read: its runs, `place` in front of what is wrong with them.
Result<std::vector<PlannedRun>> planned_runs(const Grid& grid, std::string_view place);

}  // namespace tacho
