#pragma once

#include <optional>
#include <vector>

#include "learn/range.h"
#include "record/run_record.h"

namespace tacho {

// Where the time of a run went.
struct TimeSpent {
  double steps = 0;
  double step_seconds = 0;  // median
  double epochs = 0;
  double train_seconds = 0;
  double eval_seconds = 0;
  double total_seconds = 0;
};

// Nothing for a run that did not end well, or was resumed.
std::optional<TimeSpent> time_spent(const RunRecord& record);

// What a run of so many steps and epochs takes in all, by others of its task: their start-up and
// evaluations, and what their steps took beyond the median. `past` holds at least one.
Range total_time(const std::vector<TimeSpent>& past, const Range& step_seconds, double steps,
                 double epochs);

}  // namespace tacho
