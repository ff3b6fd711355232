#pragma once

#include <vector>

#include "base/result.h"
#include "experiments/sweep/grid.h"

namespace tacho {

// Every configuration of a grid, in the order of the file; the last option of the matrix changes
// fastest, seeds faster still.
//
// Works like the matrix of a GitHub workflow: `exclude` removes combinations from the matrix. Each
// entry of `include` adds its options to the combinations whose matrix values it does not
// contradict; an entry that matches none becomes a separate configuration.
//
// Two equal configurations are an error: `repeat` is the way to run one several times.
Result<std::vector<Configuration>> combinations(const Grid& grid);

}  // namespace tacho
