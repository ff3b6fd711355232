#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "serving/dashboard/timeline_track.h"
#include "tracing/trace/gpu_findings.h"
#include "tracing/tracefile/gpu_trace.h"

namespace tacho::serve {

// The GPU activity of one process, ready to be drawn. Times are Unix nanoseconds, so that the
// timelines of several processes align.
class ProcessTimeline {
 public:
  explicit ProcessTimeline(const GpuTrace& trace);
  void mark(const FoundSteps& steps);

  [[nodiscard]] std::uint32_t process() const { return process_; }
  [[nodiscard]] std::int64_t begin_ns() const { return begin_ns_; }
  [[nodiscard]] std::int64_t end_ns() const { return end_ns_; }
  // The part between two times; seconds are relative to `origin_ns`.
  [[nodiscard]] Json json(std::int64_t from_ns, std::int64_t to_ns, std::int64_t column_ns,
                          std::int64_t origin_ns) const;

 private:
  struct Label {
    std::string name;
    std::string_view kind;
  };
  std::uint32_t process_ = 0;
  std::string program_;
  std::size_t kernel_count_ = 0;
  std::int64_t to_unix_ns_ = 0;
  std::int64_t begin_ns_ = INT64_MAX;
  std::int64_t end_ns_ = INT64_MIN;
  std::vector<Label> labels_;
  std::vector<std::int64_t> steps_ns_;
  std::vector<TimelineTrack> tracks_;
};

struct TimelineQuery {
  std::optional<double> from_s;  // seconds since the first record of any process
  std::optional<double> to_s;
  int columns = 1000;
};
// Tracks of spans between two times, in as much detail as `columns` columns can show.
Json timeline_json(const std::vector<ProcessTimeline>& run, const TimelineQuery& query);

}  // namespace tacho::serve
