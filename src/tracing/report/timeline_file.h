#pragma once

#include <filesystem>

#include "base/result.h"
#include "core/record/run_folder.h"
#include "tracing/report/run_findings.h"
#include "tracing/trace/timeline.h"

namespace tacho {

// Writes the timeline of all traced processes of a run. Fails if there is none.
Result<TimelineSummary> write_run_timeline(const RunFolder& folder,
                                           const std::filesystem::path& path,
                                           const ReportProgress& progress);

// The GPU traces of a run, one file per process, sorted by name.
std::vector<std::filesystem::path> trace_files(const RunFolder& folder);

}  // namespace tacho
