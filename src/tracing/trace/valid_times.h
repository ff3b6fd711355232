#pragma once

#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// A damaged file may contain any times. Between 0 and 146 years in nanoseconds, no difference or
// sum of two times overflows.
bool has_valid_times(const GpuTrace& trace);

// Returns the trace without records that end before they begin or are outside that range.
GpuTrace with_valid_times(const GpuTrace& trace);

}  // namespace tacho
