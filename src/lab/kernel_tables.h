#pragma once

#include <vector>

#include "compare/comparison.h"
#include "store/run_store.h"

namespace tacho {

// For each variant against its base, where both were traced on a GPU: are they the same kernels, as
// often, as long? Of each, the run in the middle is taken. Nothing where a trace is missing.
std::vector<SideTable> kernel_tables(const Comparison& comparison, RunStore& store);

}  // namespace tacho
