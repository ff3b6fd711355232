#include "serving/dashboard/run_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "serving/dashboard/run_detail.h"
#include "tracing/report/html_report.h"
#include "tracing/report/json_report.h"
#include "tracing/report/run_diff.h"
#include "tracing/report/timeline_file.h"

namespace tacho::serve {
namespace {

namespace fs = std::filesystem;

// Changes whenever a file that reports depend on changes.
std::string state_of(const RunFolder& folder) {
  std::string state = folder.path().string();
  std::vector<fs::path> files = trace_files(folder);
  for (const fs::path& file : {folder.events(), folder.usage(), folder.ops()}) {
    files.push_back(file);
  }
  for (const fs::path& file : files) {
    std::error_code absent;
    state += fmt::format(";{}", fs::file_size(file, absent));
    const auto time = fs::last_write_time(file, absent);
    if (!absent) state += fmt::format(",{}", time.time_since_epoch().count());
  }
  return state;
}

}  // namespace

Result<SingleFlightCache<RunReports::Opened>::Item> RunReports::open(RunStore& store,
                                                                     const std::string& handle) {
  TACHO_TRY(run, find_run(store, handle));
  std::error_code unreadable;
  if (!fs::exists(run.row.folder, unreadable)) {
    return Error{ErrorCode::not_found,
                 fmt::format("run {}: cannot make a report, because the folder {} is gone",
                             run.row.id, run.row.folder.string())};
  }
  const RunFolder folder(run.row.folder);
  return opened_.get(state_of(folder), [&]() -> Result<Opened> {
    Opened made;
    made.findings = gather(
        folder, run.row.id, std::move(run.record), [](std::string_view) {},
        [&](const GpuTrace& trace) { made.timelines.emplace_back(trace); });
    for (const GpuProcess& process : made.findings.processes) {
      const auto its =
          std::ranges::find(made.timelines, process.findings.process, &ProcessTimeline::process);
      if (its != made.timelines.end()) its->mark(process.findings.steps);
    }
    return made;
  });
}

Answer RunReports::report(const http::Request& request, RunStore& store) {
  TACHO_CHECK(check_parameters(request, {"format"}));
  TACHO_TRY(format, word_parameter(request, "format", {"json", "html"}));
  TACHO_TRY(opened, open(store, request.part("run")));
  const RunFindings* run = &opened->findings;
  if (format == "html") {
    return file_answer(html_report(*run), "text/html; charset=utf-8",
                       fmt::format("run-{}.html", run->id));
  }
  return json_answer(json_report(*run));
}

Answer RunReports::difference(const http::Request& request, RunStore& store) {
  TACHO_CHECK(check_parameters(request, {"before", "after"}));
  const std::string* before = request.parameter("before");
  const std::string* after = request.parameter("after");
  if (before == nullptr || after == nullptr) {
    return Error{ErrorCode::usage, "the parameters before and after must each name a run"};
  }
  TACHO_TRY(first, open(store, *before));
  TACHO_TRY(second, open(store, *after));
  return json_answer(diff_json(diff(first->findings, second->findings)));
}

Answer RunReports::timeline(const http::Request& request, RunStore& store) {
  TACHO_CHECK(check_parameters(request, {"from", "to", "columns"}));
  TACHO_TRY(from, number_parameter(request, "from"));
  TACHO_TRY(to, number_parameter(request, "to"));
  TACHO_TRY(columns, whole_parameter(request, "columns", 1000, 10, 4000));
  TACHO_TRY(opened, open(store, request.part("run")));
  return json_answer(timeline_json(opened->timelines, {from, to, static_cast<int>(columns)}));
}

}  // namespace tacho::serve
