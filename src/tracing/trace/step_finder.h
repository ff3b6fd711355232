#pragma once

#include <vector>

#include "tracing/trace/gpu_findings.h"
#include "tracing/trace/name_facts.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// Returns no steps if nothing repeats. Linear in the number of kernels.
FoundSteps find_steps(const GpuTrace& trace, const std::vector<NameFacts>& facts);

}  // namespace tacho
