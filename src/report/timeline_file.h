#pragma once

#include <filesystem>

#include "base/result.h"
#include "record/run_folder.h"
#include "report/run_findings.h"
#include "trace/timeline.h"

namespace tacho {

// The timeline of all processes of a run that used a GPU. An error where none was traced.
Result<TimelineSummary> write_run_timeline(const RunFolder& folder,
                                           const std::filesystem::path& path, const Tell& tell);

// The GPU traces of a run, one file a process, in the order of their names.
std::vector<std::filesystem::path> trace_files(const RunFolder& folder);

}  // namespace tacho
