#pragma once

#include <cstdint>
#include <vector>

#include "core/store/sweep_store.h"
#include "experiments/sweep/settings.h"
#include "machine/launch/launcher.h"

namespace tacho {

// What a task asks the launcher for: as set for the sweep, otherwise by its ranks and threads.
Resources needs_of(const SweepTask& task, const SweepSettings& settings);

// The order of the task's current attempt, without the time of its creation. The configuration
// takes precedence over the limits of the sweep.
RunOrder order_of(const SweepTask& task, const SweepSettings& settings);

// Returns a task that ran out of memory and needs less memory than `task`; nullptr if there is
// none.
const SweepTask* would_not_fit(const SweepTask& task, const std::vector<SweepTask>& out_of_memory);

// How many more tasks the budget allows to submit.
std::int64_t runs_left(const SweepBudget& budget, const SweepCounts& counts);

}  // namespace tacho
