#include "experiments/runner/gpu_tracing.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include "base/confined_file.h"
#include "base/home.h"
#include "tracing/trace/gpu_findings.h"
#include "tracing/tracefile/gpu_trace_reader.h"

namespace tacho {
namespace {

constexpr const char* kCudaLoads = "CUDA_INJECTION64_PATH";
constexpr const char* kNvtxLoads = "NVTX_INJECTION64_PATH";

std::vector<std::filesystem::path> files_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> files;
  std::error_code absent;
  for (const auto& entry : std::filesystem::directory_iterator(folder, absent)) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string one_line(std::string_view text) { return std::string(text.substr(0, text.find('\n'))); }

bool is_set(const char* variable) {
  const char* value = std::getenv(variable);
  return value != nullptr && *value != '\0';
}

}  // namespace

GpuTracing prepare_gpu_tracing(const RunFolder& folder) {
  const std::filesystem::path library = program_folder() / "libtacho_inject.so";
  if (::access(library.c_str(), R_OK) != 0) {
    return {{}, "GPUs are not traced: " + library.string() + " is missing; build it again"};
  }
  if (is_set(kCudaLoads)) {
    return {{},
            std::string("GPUs are not traced: ") + kCudaLoads +
                " is set already, by another profiler; unset it"};
  }
  if (const auto made = make_folders(folder.gpu_traces()); !made.ok()) {
    return {{}, "GPUs are not traced: " + made.error().message};
  }
  GpuTracing tracing{
      {{kCudaLoads, library.string()}, {"TACHO_TRACE_FOLDER", folder.gpu_traces().string()}},
      "",
      {library}};
  if (!is_set(kNvtxLoads)) tracing.environment[kNvtxLoads] = library.string();
  return tracing;
}

std::vector<EventBody> gpu_trace_events(const RunFolder& folder) {
  std::vector<EventBody> events;
  std::vector<GpuTrace> traces;
  for (const std::filesystem::path& file : files_of(folder.gpu_traces())) {
    if (file.extension() == ".problem") {
      if (const auto text = read_confined(folder.path(), file, Bytes{1 << 16}); text.ok()) {
        events.push_back(Note{"GPUs are not traced: " + one_line(*text)});
      }
    } else if (file.extension() == ".tgt") {
      auto trace = read_gpu_trace(folder.path(), file);
      if (trace.ok()) {
        traces.push_back(*std::move(trace));
      } else {
        events.push_back(Note{trace.error().message});
      }
    }
  }
  if (traces.empty()) return events;
  const GpuFindings found = find_in_all(traces).front();
  if (found.dropped > 0) {
    events.push_back(Note{fmt::format("{} records of the GPU trace were lost", found.dropped)});
  }
  const FoundSteps& steps = found.steps;
  if (steps.begins_ns.size() < 2) return events;
  const auto trace = std::ranges::find(traces, found.process, &GpuTrace::process);
  const auto unix_s = [&](std::int64_t ns) {
    return trace == traces.end() ? 0 : 1e-9 * static_cast<double>(trace->to_unix_ns + ns);
  };
  double paused = 0;
  for (const std::size_t step : steps.outliers) {
    paused += 1e-9 * static_cast<double>(steps.begins_ns[step + 1] - steps.begins_ns[step]) -
              steps.period_s;
  }
  events.push_back(StepsFound{.process = static_cast<std::int64_t>(found.process),
                              .steps = static_cast<std::int64_t>(steps.begins_ns.size()) - 1,
                              .period_s = steps.period_s,
                              .p25_s = steps.p25_s,
                              .p75_s = steps.p75_s,
                              .kernels_per_step = steps.kernels_per_step,
                              .confidence = steps.confidence,
                              .began_at = unix_s(steps.begins_ns.front()),
                              .ended_at = unix_s(steps.begins_ns.back()),
                              .paused_s = paused});
  return events;
}

}  // namespace tacho
