#include "tracing/trace/step_spans.h"

#include <algorithm>

namespace tacho {

TraceSpan span_of(const GpuTrace& trace) {
  TraceSpan span{INT64_MAX, INT64_MIN};
  const auto stretch = [&span](const auto& records) {
    if (!records.empty()) span.begin_ns = std::min(span.begin_ns, records.front().begin_ns);
    for (const auto& record : records) span.end_ns = std::max(span.end_ns, record.end_ns);
  };
  stretch(trace.kernels);
  stretch(trace.copies);
  stretch(trace.sets);
  stretch(trace.calls);
  if (span.end_ns <= span.begin_ns) return {};
  return span;
}

StepSpans spans_of(const FoundSteps& steps, const GpuTrace& trace) {
  StepSpans spans;
  spans.found = steps.begins_ns.size() > 1;
  if (spans.found) {
    spans.begins_ns = steps.begins_ns;
    spans.counts.assign(steps.begins_ns.size() - 1, true);
    for (const std::size_t outlier : steps.outliers) spans.counts[outlier] = false;
  } else {
    const TraceSpan whole = span_of(trace);
    spans.begins_ns = {whole.begin_ns, whole.end_ns};
    spans.counts = {true};
  }
  for (std::size_t i = 0; i < spans.size(); ++i) {
    if (!spans.counts[i]) continue;
    ++spans.counted;
    spans.counted_s += static_cast<double>(spans.begins_ns[i + 1] - spans.begins_ns[i]) * 1e-9;
  }
  spans.period_s = spans.found ? steps.period_s : spans.counted_s;
  return spans;
}

}  // namespace tacho
