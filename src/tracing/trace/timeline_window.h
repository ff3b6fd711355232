#pragma once

#include <cstdint>
#include <string>

#include "tracing/trace/timeline.h"

namespace tacho {

// The time range of a process that its timeline shows.
struct TimelineWindow {
  std::int64_t begin_ns = INT64_MIN;
  std::int64_t end_ns = INT64_MAX;  // records that begin here or later are left out
  std::int64_t inside = 0;
  std::int64_t left_out = 0;
  std::string cut;

  [[nodiscard]] bool contains(std::int64_t begin) const {
    return begin >= begin_ns && begin < end_ns;
  }
};

// Selects the requested steps, truncated at the end to `most_records` records.
TimelineWindow timeline_window(const TimelineProcess& process, const TimelineOptions& options,
                               std::int64_t most_records);

}  // namespace tacho
