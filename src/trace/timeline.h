#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "trace/gpu_findings.h"
#include "tracefile/gpu_trace.h"

namespace tacho {

struct TimelineOptions {
  // Only these of the steps found, counted from 0. Where a process has none, all of it.
  std::optional<std::size_t> first_step;
  std::optional<std::size_t> steps;
  // What ui.perfetto.dev still opens at ease. Beyond it, the end is left out.
  std::int64_t most_bytes = 200'000'000;
};

struct TimelineProcess {
  const GpuTrace& trace;
  const FoundSteps& steps;
};

struct TimelineSummary {
  std::int64_t events = 0;
  std::int64_t left_out = 0;  // records outside of what was asked for, or would fit
  std::string cut;            // what was left out, in words; empty if nothing was
};

// The Chrome trace format, which chrome://tracing and ui.perfetto.dev open: a track for each host
// thread with its CUDA calls, one for each stream, arrows from a launch to its kernel, NVTX ranges,
// and the steps found. The file appears whole or not at all.
Result<TimelineSummary> write_timeline(const std::filesystem::path& path,
                                       std::span<const TimelineProcess> processes,
                                       const TimelineOptions& options = {});

}  // namespace tacho
