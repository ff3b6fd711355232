#pragma once

#include <vector>

#include "base/result.h"
#include "sweep/grid.h"

namespace tacho {

// Every configuration of a grid, in the order of the file; the last option of the matrix changes
// fastest, seeds faster still.
//
// As GitHub's workflows have it: what `exclude` names is taken out of the matrix. Each entry of
// `include` adds its options to the combinations whose matrix values it does not contradict; one
// that fits none is a configuration of its own.
//
// Two equal configurations are an error: a run is made several times by `repeat`.
Result<std::vector<Configuration>> combinations(const Grid& grid);

}  // namespace tacho
