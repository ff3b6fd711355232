#include "tracing/trace/timeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/file.h"
#include "tracing/trace/step_spans.h"
#include "tracing/trace/timeline_events.h"
#include "tracing/trace/timeline_process.h"
#include "tracing/trace/timeline_window.h"
#include "tracing/trace/valid_times.h"

namespace tacho {
namespace {

// Including its share of arrows; an upper bound, measured with real traces.
constexpr std::int64_t kBytesOfARecord = 260;

}  // namespace

Result<TimelineSummary> write_timeline(const std::filesystem::path& path,
                                       std::span<const TimelineProcess> processes,
                                       const TimelineOptions& options) {
  for (const TimelineProcess& process : processes) {
    if (has_valid_times(process.trace)) continue;
    const GpuTrace valid = with_valid_times(process.trace);
    std::vector<TimelineProcess> others;
    for (const TimelineProcess& other : processes) {
      others.push_back({&other == &process ? valid : other.trace, other.steps});
    }
    return write_timeline(path, others, options);
  }
  const auto count = static_cast<std::int64_t>(std::max<std::size_t>(1, processes.size()));
  const std::int64_t most_records = options.most_bytes / kBytesOfARecord / count;
  TimelineSummary summary;
  std::vector<TimelineWindow> windows;
  std::int64_t zero_ns = INT64_MAX;
  for (const TimelineProcess& process : processes) {
    windows.push_back(timeline_window(process, options, most_records));
    summary.left_out += windows.back().left_out;
    const TraceSpan span = span_of(process.trace);
    zero_ns = std::min(zero_ns, span.begin_ns + process.trace.to_unix_ns);
    for (const RangeRecord& range : process.trace.ranges) {
      zero_ns = std::min(zero_ns, range.begin_ns + process.trace.to_unix_ns);
    }
    if (windows.back().cut.empty()) continue;
    if (!summary.cut.empty()) summary.cut += "; ";
    summary.cut += fmt::format("process {}: {}", process.trace.process, windows.back().cut);
  }

  TACHO_TRY(file, AtomicFile::create(path));
  TACHO_CHECK(file.write(fmt::format(
      R"({{"displayTimeUnit":"ms","otherData":{{"begin_unix_ns":"{}","left_out_records":"{}","shown":{}}},"traceEvents":[)",
      processes.empty() ? 0 : zero_ns, summary.left_out,
      json_string(summary.cut.empty() ? "everything" : summary.cut))));
  TimelineEvents events(file);
  for (std::size_t i = 0; i < processes.size(); ++i) {
    TACHO_CHECK(write_process(processes[i], windows[i], zero_ns, i, events));
  }
  TACHO_CHECK(events.flush());
  TACHO_CHECK(file.write("\n]}\n"));
  TACHO_CHECK(file.commit());
  summary.events = events.count();
  return summary;
}

}  // namespace tacho
