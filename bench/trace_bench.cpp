// Measures the cost of reading a GPU trace: a generated run of five million kernels, or a run's
// gpu/PID.tgt.
//   trace_bench [FILE.tgt [TIMELINE.json]]
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "tracing/trace/gpu_findings.h"
#include "tracing/trace/gpu_tables.h"
#include "tracing/trace/name_facts.h"
#include "tracing/trace/step_finder.h"
#include "tracing/trace/timeline.h"
#include "tracing/tracefile/gpu_trace_reader.h"

namespace {

using namespace tacho;

template <class Work>
auto timed(const char* what, Work work) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = work();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  fmt::print("{:<12} {:8.3f} s\n", what, took.count());
  return result;
}

// 20,000 steps of 250 kernels and as many calls, without a recognisable optimizer: the step has to
// be found by the slow method.
GpuTrace played(bool optimizer) {
  GpuTrace trace;
  for (int i = 0; i < 60; ++i) trace.names.push_back("ampere_sgemm_" + std::to_string(i));
  trace.names.emplace_back("vectorized_elementwise_kernel<add>");
  trace.names.emplace_back("cudaLaunchKernel");
  trace.names.emplace_back("multi_tensor_apply_kernel<FusedAdam>");
  trace.shapes.emplace_back();
  std::int64_t time = 1'000'000'000;
  std::uint32_t correlation = 0;
  for (int step = 0; step < 20'000; ++step) {
    for (std::uint32_t k = 0; k < 250; ++k) {
      std::uint32_t name = k % 3 == 0 ? 60 : (k * 2654435761U >> 20U) % 60;
      if (optimizer && k == 249) name = 62;
      const std::int64_t length = 5'000 + 100 * ((k * 37 + step) % 50);
      ++correlation;
      trace.calls.push_back({time - 30'000, time - 27'000, 61, 1, correlation});
      trace.kernels.push_back({time, time + length, 0, name, 0, 0, 7, correlation});
      time += length + 1'000;
    }
    time += 50'000;
  }
  return trace;
}

void print(const GpuFindings& found) {
  const FoundSteps& steps = found.steps;
  fmt::print("process {} ({}), {}: {} kernels in {:.2f} s, {} dropped\n", found.process,
             found.program, found.gpu, found.kernel_count, found.span_s, found.dropped);
  fmt::print(
      "steps {}  period {:.4f} ms  jitter {:.2f} %  outliers {}  kernels {}  confidence {:.2f}\n",
      steps.begins_ns.empty() ? 0 : steps.begins_ns.size() - 1, steps.period_s * 1e3,
      steps.jitter * 100, steps.outliers.size(), steps.kernels_per_step, steps.confidence);
  const StepParts& parts = found.parts;
  fmt::print(
      "ms: input {:.3f} h2d {:.3f} forward {:.3f} backward {:.3f} optimizer {:.3f} comm {:.3f} "
      "launch {:.3f} sync {:.3f} other {:.3f} (hidden {:.3f}) phases {}\n",
      parts.input_wait * 1e3, parts.host_to_device * 1e3, parts.forward * 1e3, parts.backward * 1e3,
      parts.optimizer * 1e3, parts.comm_exposed * 1e3, parts.launch_gaps * 1e3,
      parts.sync_gaps * 1e3, parts.other * 1e3, parts.comm_hidden * 1e3, parts.phases_known);
  const StepSigns& signs = found.signs;
  fmt::print(
      "busy {:.3f} median kernel {:.1f} us launches {:.1f} calls {:.3f} ms syncs {:.1f} wait "
      "{:.3f} ms layout {:.3f} ms tensor cores {:.2f} pageable {:.3f} ms blocks {:.2f} graphs {} "
      "host work {:.3f} ms queue {:.3f} ms\n",
      signs.gpu_busy_share, signs.median_kernel_s * 1e6, signs.launches_per_step,
      signs.host_call_s * 1e3, signs.syncs_per_step, signs.sync_wait_s * 1e3,
      signs.layout_change_s * 1e3, signs.tensor_core_share, signs.pageable_copy_s * 1e3,
      signs.mean_occupied_blocks, signs.uses_graphs, signs.host_work_s * 1e3,
      signs.queue_wait_s * 1e3);
  for (const ClassRow& row : found.classes) {
    fmt::print("  {:<15} {:8.3f} ms  {:4.1f} %  {} kernels\n", kKernelClasses.of(row.kind),
               row.seconds_per_step * 1e3, row.share * 100, row.kernels_per_step);
  }
  for (std::size_t i = 0; i < std::min<std::size_t>(12, found.tables.kernels.size()); ++i) {
    const KernelRow& row = found.tables.kernels[i];
    fmt::print("  {:5.1f} % {:>8} x {:9.2f} us {} {:.110}\n", row.time.share * 100, row.time.count,
               row.time.mean_s * 1e6, kKernelClasses.of(row.kind), row.time.name);
  }
}

void look_at(const GpuTrace& trace) {
  const auto facts = timed("names", [&] { return facts_of_names(trace); });
  timed("tables", [&] { return gpu_tables(trace, facts); });
  timed("steps", [&] { return find_steps(trace, facts); });
  print(timed("all findings", [&] { return find_in(trace); }));
}

}  // namespace

int main(int count, char** words) {
  if (count < 2) {
    look_at(played(false));
    look_at(played(true));
    return 0;
  }
  const auto file = std::filesystem::absolute(words[1]);
  const auto trace =
      timed("read", [&] { return tacho::read_gpu_trace(file.parent_path(), file.filename()); });
  if (!trace.ok()) {
    fmt::print(stderr, "{}\n", trace.error().message);
    return 1;
  }
  look_at(*trace);
  if (count < 3) return 0;
  const FoundSteps steps = find_in(*trace).steps;
  const std::vector<TimelineProcess> processes = {{*trace, steps}};
  const auto written = timed("timeline", [&] { return write_timeline(words[2], processes); });
  if (written.ok()) fmt::print("{} events; {}\n", written->events, written->cut);
  return written.ok() ? 0 : 1;
}
