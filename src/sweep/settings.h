#pragma once

#include "base/json_object.h"
#include "base/result.h"
#include "sweep/grid.h"

namespace tacho {

// How a sweep's runs are made, as the grid says it and the command line changes it. Kept with the
// sweep, so that it goes on as it began.
struct SweepSettings {
  RunLimits limits = {};
  SweepBudget budget = {};
  RunNeeds needs = {};
  LauncherWish launcher = {};
  bool adaptive = false;  // the next run is chosen by what the others came to
};
SweepSettings settings_of(const Grid& grid);

Json to_json(const SweepSettings& settings);
Result<SweepSettings> sweep_settings_from_json(const Json& json);

}  // namespace tacho
