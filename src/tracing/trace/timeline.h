#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "base/result.h"
#include "tracing/trace/gpu_findings.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

struct TimelineOptions {
  // Limits the timeline to these steps, counted from 0. A process without steps is shown entirely.
  std::optional<std::size_t> first_step;
  std::optional<std::size_t> steps;
  // ui.perfetto.dev handles this size well. The end of a larger timeline is left out.
  std::int64_t most_bytes = 200'000'000;
};

struct TimelineProcess {
  const GpuTrace& trace;
  const FoundSteps& steps;
};

struct TimelineSummary {
  std::int64_t events = 0;
  std::int64_t left_out = 0;  // records outside of the selected steps or beyond the size limit
  std::string cut;            // what is shown, if anything was left out; else empty
};

// Writes the Chrome trace format, which chrome://tracing and ui.perfetto.dev open: one track per
// host thread with its CUDA calls, one per stream, arrows from a launch to its kernel, NVTX ranges,
// and the steps found. Writes the file atomically.
Result<TimelineSummary> write_timeline(const std::filesystem::path& path,
                                       std::span<const TimelineProcess> processes,
                                       const TimelineOptions& options = {});

}  // namespace tacho
