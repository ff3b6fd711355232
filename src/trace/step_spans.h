#pragma once

#include <cstdint>
#include <vector>

#include "trace/gpu_findings.h"
#include "tracefile/gpu_trace.h"

namespace tacho {

// The steps that count: all but the outliers. Where none were found, the whole trace is one.
struct StepSpans {
  std::vector<std::int64_t> begins_ns;  // and the end of the last
  std::vector<bool> counts;             // one for each step
  std::size_t counted = 0;
  double period_s = 0;   // that figures of a step are given for
  double counted_s = 0;  // the counted steps together
  bool found = false;

  [[nodiscard]] std::size_t size() const { return counts.size(); }
  // What a sum over counted steps is for one step of the typical period: the mean, scaled so that
  // parts of the mean step are parts of the median one.
  [[nodiscard]] double a_step() const { return counted_s > 0 ? period_s / counted_s : 0; }
  [[nodiscard]] double one_of() const { return counted > 0 ? 1 / static_cast<double>(counted) : 0; }
};

StepSpans spans_of(const FoundSteps& steps, const GpuTrace& trace);

// From the first record to the last.
struct TraceSpan {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
};
TraceSpan span_of(const GpuTrace& trace);

// Which step a time is in, asked in ascending order of times.
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
