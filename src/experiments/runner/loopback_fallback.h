#pragma once

#include <vector>

#include "core/store/study_table.h"
#include "experiments/runner/compare_plan.h"

namespace tacho {

// If separate machines cannot be simulated, changes the plan so that their processes run on this
// machine's loopback: the same data is exchanged at another speed. Returns what was replaced.
Result<std::vector<AbsentThing>> fall_back_to_loopback(ComparePlan& plan);

}  // namespace tacho
