#pragma once

#include "tracefile/gpu_trace.h"

namespace tacho {

// A damaged file may hold any times. From 0 to 146 years of nanoseconds every difference and sum
// that is made of them can be represented.
bool has_possible_times(const GpuTrace& trace);

// The same trace without the records that end before they begin or lie outside.
GpuTrace with_possible_times(const GpuTrace& trace);

}  // namespace tacho
