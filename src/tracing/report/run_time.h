#pragma once

#include <string_view>
#include <vector>

#include "core/record/run_record.h"

namespace tacho {

struct TimePart {
  std::string_view key;    // "startup"
  std::string_view title;  // "before the first step"
  double seconds = 0;
  double share = 0;  // of the run's wall time
};

// Returns the parts of a run's wall time, in order. They add up to it. Empty if the time of no step
// is known.
std::vector<TimePart> run_time_of(const RunRecord& record);

}  // namespace tacho
