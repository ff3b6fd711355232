#pragma once

#include <cstdint>
#include <string>

#include "trace/timeline.h"

namespace tacho {

// The part of a process's time that its timeline shows.
struct TimelineWindow {
  std::int64_t begin_ns = INT64_MIN;
  std::int64_t end_ns = INT64_MAX;  // records that begin here or later are left out
  std::int64_t inside = 0;
  std::int64_t left_out = 0;
  std::string cut;

  [[nodiscard]] bool holds(std::int64_t begin) const { return begin >= begin_ns && begin < end_ns; }
};

// As asked for, and of that as much from the front as `most_records`.
TimelineWindow timeline_window(const TimelineProcess& process, const TimelineOptions& options,
                               std::int64_t most_records);

}  // namespace tacho
