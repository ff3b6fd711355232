#pragma once

#include <vector>

#include "tracing/trace/gpu_findings.h"
#include "tracing/trace/name_facts.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// The per-step fields of KernelRow stay 0; add_step_figures() fills them in.
GpuTables gpu_tables(const GpuTrace& trace, const std::vector<NameFacts>& facts);

}  // namespace tacho
