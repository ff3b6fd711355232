#pragma once

#include <cstdint>
#include <vector>

#include "tracing/trace/host_calls.h"
#include "tracing/trace/name_facts.h"
#include "tracing/trace/step_spans.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

enum class Phase : std::uint8_t { forward, backward, optimizer };

struct Phases {
  std::vector<Phase> of_kernel;  // parallel to the trace's kernels
  bool known = false;            // false: all are `forward`
};

// Uses the thread that launched a kernel, since torch's autograd has its own; if all kernels come
// from one thread or from graphs, uses the kernels' names.
Phases phases_of(const GpuTrace& trace, const std::vector<NameFacts>& facts, const HostCalls& calls,
                 const StepSpans& spans);

}  // namespace tacho
