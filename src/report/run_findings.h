#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "record/op_trace.h"
#include "record/run_folder.h"
#include "record/run_record.h"
#include "record/usage.h"
#include "record/usage_summary.h"
#include "trace/gpu_findings.h"
#include "tracefile/gpu_trace.h"

namespace tacho {

// What one process did on its GPUs.
struct GpuProcess {
  GpuFindings findings;
  std::vector<TracedGpu> gpus;
};

// Something a report could have had: why it has not, and what would bring it.
struct AbsentPart {
  std::string part;  // "GPU trace"
  std::string why;   // "this run used no GPU"
};

// Everything a run's folder tells. Any part may be missing but the record.
struct RunFindings {
  std::int64_t id = 0;
  RunRecord record;
  std::optional<UsageLog> usage;
  std::optional<UsageSummary> used;
  std::optional<OpTrace> ops;
  std::vector<GpuProcess> processes;  // that used a GPU; the one that computed most comes first
  std::vector<AbsentPart> absent;

  // Of the process that computed most.
  [[nodiscard]] const GpuFindings* gpu() const {
    return processes.empty() ? nullptr : &processes.front().findings;
  }
};

// Told what is being read, for the person who waits.
using Tell = std::function<void(std::string_view)>;

// Shown each GPU trace while it is in memory, for who wants more of it than the findings; on a
// thread of its own, one trace after the other.
using SeeTrace = std::function<void(const GpuTrace&)>;

// Damage in one part does not hide the others: it is told in `absent`.
RunFindings gather(const RunFolder& folder, std::int64_t id, RunRecord record, const Tell& tell,
                   const SeeTrace& see = {});

}  // namespace tacho
