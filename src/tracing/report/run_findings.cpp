#include "tracing/report/run_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <future>
#include <system_error>

#include "base/confined_file.h"
#include "base/terminal.h"
#include "base/units.h"
#include "tracing/report/timeline_file.h"
#include "tracing/trace/gpu_findings.h"
#include "tracing/tracefile/gpu_trace_reader.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

bool is_present(const fs::path& path) {
  std::error_code unreadable;
  return fs::exists(path, unreadable);
}

std::vector<fs::path> files_in(const fs::path& folder, std::string_view ending) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    if (at->path().extension() == ending) files.push_back(at->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

void read_usage(const RunFolder& folder, RunFindings& run) {
  if (!is_present(folder.usage())) {
    run.absent.push_back({"usage", "not recorded: there is no usage.jsonl in the run's folder"});
    return;
  }
  const auto text = read_confined(folder.path(), folder.usage());
  auto log = text.ok() ? usage_from_text(*text) : Result<UsageLog>(text.error());
  if (!log.ok()) {
    run.absent.push_back({"usage", log.error().in("usage.jsonl").message});
  } else if (log->samples.empty()) {
    run.absent.push_back({"usage", "the run ended before the first sample"});
  } else {
    run.used = summarise(*log);
    run.usage = std::move(*log);
  }
}

Result<OpTrace> ops_of(const RunFolder& folder) {
  TACHO_TRY(text, read_confined(folder.path(), folder.ops()));
  TACHO_TRY(json, parse_json(text));
  return op_trace_from_json(json);
}

void read_ops(const RunFolder& folder, RunFindings& run) {
  if (!is_present(folder.ops())) {
    const bool watched_program = run.record.order.command.has_value();
    run.absent.push_back({"operators", watched_program
                                           ? "recorded only for trainings: tacho train --ops"
                                           : "not recorded; use tacho train --ops"});
    return;
  }
  auto ops = ops_of(folder);
  if (ops.ok()) {
    run.ops = std::move(*ops);
  } else {
    run.absent.push_back({"operators", ops.error().in("ops.json").message});
  }
}

void read_trace(const RunFolder& folder, const fs::path& file, RunFindings& run,
                const ReportProgress& progress, const TraceObserver& observer) {
  std::error_code unreadable;
  const auto size = static_cast<std::int64_t>(fs::file_size(file, unreadable));
  progress(fmt::format("reading {} ({})", file.filename().string(),
                       unreadable ? "?" : human(Bytes{size})));
  const auto trace = read_gpu_trace(folder.path(), file);
  if (!trace.ok()) {
    run.absent.push_back({"GPU trace", trace.error().message});
    return;
  }
  if (trace->kernels.empty() && trace->copies.empty()) return;
  progress(fmt::format("finding steps in {} kernels",
                       human_count(static_cast<double>(trace->kernels.size()))));
  const std::future<void> observed =
      observer ? std::async(std::launch::async, observer, std::cref(*trace)) : std::future<void>();
  run.processes.push_back({find_in(*trace), trace->gpus});
  if (observer) observed.wait();
}

double kernel_seconds(const GpuProcess& process) {
  double sum = 0;
  for (const KernelRow& row : process.findings.tables.kernels) sum += row.time.total_s;
  return sum;
}

std::string why_no_trace(const RunFolder& folder, const RunFindings& run) {
  const auto& command = run.record.order.command;
  if (command && !command->trace) return "the run was started with --no-trace";
  if (is_present(folder.gpu_traces())) return "no process of this run used a GPU";
  if (run.record.started && run.record.started->host.gpu.empty()) return "this run used no GPU";
  return "not recorded; tacho run traces by default, tacho train with --trace";
}

void read_traces(const RunFolder& folder, RunFindings& run, const ReportProgress& progress,
                 const TraceObserver& observer) {
  for (const fs::path& file : trace_files(folder)) {
    read_trace(folder, file, run, progress, observer);
  }
  std::stable_sort(run.processes.begin(), run.processes.end(),
                   [](const GpuProcess& a, const GpuProcess& b) {
                     return kernel_seconds(a) > kernel_seconds(b);
                   });
  const auto problems = files_in(folder.gpu_traces(), ".problem");
  for (const fs::path& file : problems) {
    auto text = read_confined(folder.path(), file, Bytes{1 << 16});
    if (!text.ok()) continue;
    while (!text->empty() && text->back() == '\n') text->pop_back();
    const AbsentPart part{"GPU trace", printable(*text)};
    const bool known = std::any_of(run.absent.begin(), run.absent.end(),
                                   [&](const AbsentPart& a) { return a.why == part.why; });
    if (!known) run.absent.push_back(part);
  }
  const bool explained = std::any_of(run.absent.begin(), run.absent.end(),
                                     [](const AbsentPart& a) { return a.part == "GPU trace"; });
  if (run.processes.empty() && !explained) {
    run.absent.push_back({"GPU trace", why_no_trace(folder, run)});
  }
}

}  // namespace

RunFindings gather(const RunFolder& folder, std::int64_t id, RunRecord record,
                   const ReportProgress& progress, const TraceObserver& observer) {
  RunFindings run{.id = id, .record = std::move(record)};
  read_usage(folder, run);
  read_traces(folder, run, progress, observer);
  read_ops(folder, run);
  return run;
}

}  // namespace tacho
