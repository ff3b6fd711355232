#pragma once

#include "base/json_object.h"
#include "base/result.h"
#include "experiments/sweep/grid.h"

namespace tacho {

// Settings for the runs of a sweep: from the grid, changed by the command line. Stored with the
// sweep so that a resumed one keeps them.
struct SweepSettings {
  RunLimits limits = {};
  SweepBudget budget = {};
  RunNeeds needs = {};
  LauncherRequest launcher = {};
  bool adaptive = false;  // the results so far decide which run is next
};
SweepSettings settings_of(const Grid& grid);

Json to_json(const SweepSettings& settings);
Result<SweepSettings> sweep_settings_from_json(const Json& json);

}  // namespace tacho
