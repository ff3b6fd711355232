#pragma once

#include <vector>

#include "core/store/run_store.h"
#include "experiments/compare/comparison.h"

namespace tacho {

// Compares the kernels of each variant with those of its base, if both were traced on a GPU: names,
// counts and times. Uses the run closest to the median of each. Omits variants without a trace.
std::vector<SideTable> kernel_tables(const Comparison& comparison, RunStore& store);

}  // namespace tacho
