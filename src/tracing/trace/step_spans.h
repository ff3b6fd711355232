#pragma once

#include <cstdint>
#include <vector>

#include "tracing/trace/gpu_findings.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho {

// All steps, of which outliers are not counted. If no steps were found, the whole trace is one.
struct StepSpans {
  std::vector<std::int64_t> begins_ns;  // then the end of the last
  std::vector<bool> counts;             // one per step
  std::size_t counted = 0;
  double period_s = 0;   // the step that per-step values refer to
  double counted_s = 0;  // all counted steps together
  bool found = false;

  [[nodiscard]] std::size_t size() const { return counts.size(); }
  // Factor from a sum of times over the counted steps to the median step: the mean, scaled so that
  // the parts of a step add up to the period.
  [[nodiscard]] double time_scale() const { return counted_s > 0 ? period_s / counted_s : 0; }
  [[nodiscard]] double count_scale() const {
    return counted > 0 ? 1 / static_cast<double>(counted) : 0;
  }
};

StepSpans spans_of(const FoundSteps& steps, const GpuTrace& trace);

// From the first record to the end of the last.
struct TraceSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};
TraceSpan span_of(const GpuTrace& trace);

// Finds the step that contains a time. Times must be passed in ascending order.
class StepCursor {
 public:
  static constexpr std::size_t kNone = SIZE_MAX;
  explicit StepCursor(const StepSpans& spans) : spans_(spans) {}
  std::size_t at(std::int64_t time_ns) {
    if (time_ns < spans_.begins_ns.front() || time_ns >= spans_.begins_ns.back()) return kNone;
    while (time_ns >= spans_.begins_ns[step_ + 1]) ++step_;
    return step_;
  }
  bool counted_at(std::int64_t time_ns) {
    const std::size_t step = at(time_ns);
    return step != kNone && spans_.counts[step];
  }

 private:
  const StepSpans& spans_;
  std::size_t step_ = 0;
};

}  // namespace tacho
