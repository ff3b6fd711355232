#pragma once

#include <vector>

#include "trace/gpu_findings.h"
#include "trace/host_calls.h"
#include "trace/name_facts.h"
#include "trace/step_spans.h"
#include "tracefile/gpu_trace.h"

namespace tacho {

// Every nanosecond of the counted steps is one part's, on the busiest device; sums for one step.
StepParts step_parts(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                     const HostCalls& calls, const StepSpans& spans);

}  // namespace tacho
