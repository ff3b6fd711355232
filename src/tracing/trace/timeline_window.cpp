#include "tracing/trace/timeline_window.h"

#include <fmt/format.h>

#include <algorithm>

#include "tracing/trace/step_spans.h"

namespace tacho {
namespace {

std::int64_t records_in(const GpuTrace& trace, std::int64_t begin, std::int64_t end) {
  std::int64_t count = 0;
  const auto add = [&](const auto& records) {
    const auto before = [](const auto& record, std::int64_t time) {
      return record.begin_ns < time;
    };
    const auto first = std::lower_bound(records.begin(), records.end(), begin, before);
    count += std::lower_bound(first, records.end(), end, before) - first;
  };
  add(trace.kernels);
  add(trace.copies);
  add(trace.sets);
  add(trace.calls);
  add(trace.ranges);
  return count;
}

// The latest end at which the window contains at most `most` records; the end of a step if there
// are steps.
std::int64_t end_for(const TimelineProcess& process, std::int64_t begin, std::int64_t end,
                     std::int64_t most) {
  const TraceSpan span = span_of(process.trace);
  std::int64_t low = std::max(begin, span.begin_ns);
  std::int64_t high = std::min(end, span.end_ns + 1);
  while (high - low > 1) {
    const std::int64_t middle = low + (high - low) / 2;
    (records_in(process.trace, begin, middle) <= most ? low : high) = middle;
  }
  const auto& begins = process.steps.begins_ns;
  const auto after = std::upper_bound(begins.begin(), begins.end(), low);
  if (after != begins.begin() && *std::prev(after) > begin) return *std::prev(after);
  return low;
}

}  // namespace

TimelineWindow timeline_window(const TimelineProcess& process, const TimelineOptions& options,
                               std::int64_t most_records) {
  TimelineWindow window;
  const auto& begins = process.steps.begins_ns;
  const std::size_t steps = begins.empty() ? 0 : begins.size() - 1;
  if (steps > 0 && (options.first_step || options.steps)) {
    const std::size_t first = std::min(options.first_step.value_or(0), steps - 1);
    const std::size_t last = first + std::min(options.steps.value_or(steps), steps - first);
    window.begin_ns = begins[first];
    window.end_ns = begins[last];
    window.cut = fmt::format("steps {} to {} of {}", first + 1, last, steps);
  }
  const std::int64_t all = records_in(process.trace, INT64_MIN, INT64_MAX);
  if (records_in(process.trace, window.begin_ns, window.end_ns) > most_records) {
    // The time before the first step is the least interesting part.
    if (steps > 0) window.begin_ns = std::max(window.begin_ns, begins.front());
    window.end_ns = end_for(process, window.begin_ns, window.end_ns, most_records);
    const TraceSpan span = span_of(process.trace);
    const std::int64_t from = std::max(window.begin_ns, span.begin_ns);
    window.cut = fmt::format(
        "{:.3f} s of {:.3f} s, starting at {:.3f} s; the rest would make the file too large",
        static_cast<double>(window.end_ns - from) * 1e-9,
        static_cast<double>(span.end_ns - span.begin_ns) * 1e-9,
        static_cast<double>(from - span.begin_ns) * 1e-9);
  }
  window.inside = records_in(process.trace, window.begin_ns, window.end_ns);
  window.left_out = all - window.inside;
  return window;
}

}  // namespace tacho
