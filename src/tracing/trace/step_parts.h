#pragma once

#include <vector>

#include "tracing/trace/gpu_findings.h"
#include "tracing/trace/host_calls.h"
#include "tracing/trace/name_facts.h"
#include "tracing/trace/step_spans.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// Assigns every nanosecond of the counted steps on the busiest device to one part. The result is
// for one step.
StepParts step_parts(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                     const HostCalls& calls, const StepSpans& spans);

}  // namespace tacho
