#pragma once

#include <vector>

#include "trace/gpu_findings.h"
#include "trace/name_facts.h"
#include "tracefile/gpu_trace.h"

namespace tacho {

// Without what needs steps: KernelRow's figures for one step stay 0.
GpuTables gpu_tables(const GpuTrace& trace, const std::vector<NameFacts>& facts);

}  // namespace tacho
