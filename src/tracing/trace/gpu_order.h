#pragma once

#include <cstdint>

#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// Calls `kernel(index)`, `copy(record)` and `set(record)` for all GPU records of a trace, ordered
// by begin time.
template <class OnKernel, class OnCopy, class OnSet>
void in_order_of_begin(const GpuTrace& trace, OnKernel kernel, OnCopy copy, OnSet set) {
  auto next_copy = trace.copies.begin();
  auto next_set = trace.sets.begin();
  const auto until = [&](std::int64_t time) {
    while (true) {
      const bool has_copy = next_copy != trace.copies.end() && next_copy->begin_ns <= time;
      const bool has_set = next_set != trace.sets.end() && next_set->begin_ns <= time;
      if (has_copy && (!has_set || next_copy->begin_ns <= next_set->begin_ns)) {
        copy(*next_copy++);
      } else if (has_set) {
        set(*next_set++);
      } else {
        return;
      }
    }
  };
  for (std::size_t i = 0; i < trace.kernels.size(); ++i) {
    until(trace.kernels[i].begin_ns);
    kernel(i);
  }
  until(INT64_MAX);
}

}  // namespace tacho
