#include "tracing/trace/gpu_findings.h"

#include <algorithm>
#include <future>

#include "tracing/trace/gpu_tables.h"
#include "tracing/trace/host_calls.h"
#include "tracing/trace/name_facts.h"
#include "tracing/trace/step_finder.h"
#include "tracing/trace/step_parts.h"
#include "tracing/trace/step_signs.h"
#include "tracing/trace/step_spans.h"
#include "tracing/trace/token_line.h"
#include "tracing/trace/valid_times.h"

namespace tacho {
namespace {

std::string gpu_name(const GpuTrace& trace) {
  const std::uint32_t device = busiest_device(trace);
  for (const TracedGpu& gpu : trace.gpus) {
    if (gpu.index == device) return gpu.name;
  }
  return trace.gpus.empty() ? "" : trace.gpus.front().name;
}

double kernel_seconds(const GpuFindings& findings) {
  double seconds = 0;
  for (const KernelRow& row : findings.tables.kernels) seconds += row.time.total_s;
  return seconds;
}

}  // namespace

GpuFindings find_in(const GpuTrace& trace) {
  if (!has_valid_times(trace)) return find_in(with_valid_times(trace));
  const std::vector<NameFacts> facts = facts_of_names(trace);
  GpuFindings findings;
  findings.process = trace.process;
  findings.program = trace.program;
  findings.gpu = gpu_name(trace);
  const TraceSpan span = span_of(trace);
  findings.span_s = static_cast<double>(span.end_ns - span.begin_ns) * 1e-9;
  findings.kernel_count = static_cast<std::int64_t>(trace.kernels.size());
  findings.dropped = trace.dropped;
  findings.ended = trace.ended;
  // In parallel, because each takes a large part of a second for millions of kernels.
  auto steps = std::async(std::launch::async, [&] { return find_steps(trace, facts); });
  findings.tables = gpu_tables(trace, facts);
  const HostCalls calls(trace, facts);
  findings.steps = steps.get();

  const StepSpans spans = spans_of(findings.steps, trace);
  auto parts =
      std::async(std::launch::async, [&] { return step_parts(trace, facts, calls, spans); });
  findings.classes = class_rows(trace, facts, spans);
  findings.loads = kernel_loads(trace, facts, spans);
  findings.signs = step_signs(trace, facts, calls, spans);
  add_step_figures(trace, facts, spans, findings.tables.kernels);
  findings.parts = parts.get();
  findings.signs.host_work_s =
      std::max(0.0, findings.signs.host_work_s - findings.parts.input_wait);
  return findings;
}

std::vector<GpuFindings> find_in_all(std::span<const GpuTrace> traces) {
  std::vector<GpuFindings> all;
  all.reserve(traces.size());
  for (const GpuTrace& trace : traces) all.push_back(find_in(trace));
  std::stable_sort(all.begin(), all.end(), [](const GpuFindings& a, const GpuFindings& b) {
    return kernel_seconds(a) > kernel_seconds(b);
  });
  return all;
}

}  // namespace tacho
