#pragma once

#include <vector>

#include "tracing/trace/gpu_findings.h"
#include "tracing/trace/host_calls.h"
#include "tracing/trace/name_facts.h"
#include "tracing/trace/step_spans.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// The kernel classes on all streams of the busiest device, sorted by time, longest first.
std::vector<ClassRow> class_rows(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                                 const StepSpans& spans);

// The same kernels by class and threads of a launch.
std::vector<KernelLoad> kernel_loads(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                                     const StepSpans& spans);

// Its host_work_s still includes the time that the host waits for input.
StepSigns step_signs(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                     const HostCalls& calls, const StepSpans& spans);

// Fills in the per-step fields of the kernel rows. Does nothing if no steps were found.
void add_step_figures(const GpuTrace& trace, const std::vector<NameFacts>& facts,
                      const StepSpans& spans, std::vector<KernelRow>& rows);

}  // namespace tacho
