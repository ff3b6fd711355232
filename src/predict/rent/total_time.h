#pragma once

#include <optional>
#include <vector>

#include "base/estimate.h"
#include "core/record/run_record.h"

namespace tacho {

// The times of a finished run.
struct TimeSpent {
  double steps = 0;
  double step_seconds = 0;  // median
  double epochs = 0;
  double train_seconds = 0;
  double eval_seconds = 0;
  double total_seconds = 0;
};

// Returns nothing for a run that did not succeed or was resumed.
std::optional<TimeSpent> time_spent(const RunRecord& record);

// Predicts the total time of a run with this number of steps and epochs from runs of the same task:
// their start-up, evaluations, and training time beyond the median step. `past` must not be empty.
Estimate total_time(const std::vector<TimeSpent>& past, const Estimate& step_seconds, double steps,
                    double epochs);

}  // namespace tacho
