#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "core/record/op_trace.h"
#include "core/record/run_folder.h"
#include "core/record/run_record.h"
#include "core/record/usage.h"
#include "core/record/usage_summary.h"
#include "tracing/trace/gpu_findings.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// One process that used GPUs.
struct GpuProcess {
  GpuFindings findings;
  std::vector<TracedGpu> gpus;
};

// A part that the report lacks, with the reason and, where there is one, the fix.
struct AbsentPart {
  std::string part;  // "GPU trace"
  std::string why;   // "this run used no GPU"
};

// Everything in a run's folder. Any part but the record may be missing.
struct RunFindings {
  std::int64_t id = 0;
  RunRecord record;
  std::optional<UsageLog> usage;
  std::optional<UsageSummary> used;
  std::optional<OpTrace> ops;
  std::vector<GpuProcess> processes;  // that used a GPU; the one with most kernel time comes first
  std::vector<AbsentPart> absent;

  // Findings of the process with most kernel time; nullptr without one.
  [[nodiscard]] const GpuFindings* gpu() const {
    return processes.empty() ? nullptr : &processes.front().findings;
  }
};

// Receives progress messages: what is being read.
using ReportProgress = std::function<void(std::string_view)>;

// Receives each GPU trace while it is in memory, for callers that need more than the findings. Runs
// on another thread, one trace after the other.
using TraceObserver = std::function<void(const GpuTrace&)>;

// Reads a run's folder. A damaged part goes to `absent` and does not hide the others.
RunFindings gather(const RunFolder& folder, std::int64_t id, RunRecord record,
                   const ReportProgress& progress, const TraceObserver& observer = {});

}  // namespace tacho
