#include "tracing/report/timeline_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <list>
#include <system_error>

#include "tracing/tracefile/gpu_trace_reader.h"

namespace tacho {

std::vector<std::filesystem::path> trace_files(const RunFolder& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code error;
  std::filesystem::directory_iterator at(folder.gpu_traces(), error);
  for (const std::filesystem::directory_iterator end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ".tgt") files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

Result<TimelineSummary> write_run_timeline(const RunFolder& folder,
                                           const std::filesystem::path& path,
                                           const ReportProgress& progress) {
  struct Traced {
    GpuTrace trace;
    FoundSteps steps;
  };
  std::list<Traced> traced;  // a list, because `processes` refers to its elements
  std::vector<TimelineProcess> processes;
  for (const auto& file : trace_files(folder)) {
    progress(fmt::format("reading {}", file.filename().string()));
    TACHO_TRY(trace, read_gpu_trace(folder.path(), file));
    auto steps = find_in(trace).steps;
    const Traced& kept = traced.emplace_back(Traced{std::move(trace), std::move(steps)});
    processes.push_back({kept.trace, kept.steps});
  }
  if (processes.empty()) {
    return Error{ErrorCode::not_found,
                 fmt::format("{}: no GPU trace to export; 'tacho report' shows why",
                             folder.gpu_traces().string())};
  }
  progress("writing the timeline");
  return write_timeline(path, processes);
}

}  // namespace tacho
