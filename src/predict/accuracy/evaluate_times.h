#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "predict/accuracy/time_record.h"

namespace tacho {

// Errors of the predicted time to accuracy for held-out groups.
struct TimeScore {
  std::string task;
  std::string split;  // "unseen system", "unseen batch size"
  std::size_t records = 0;
  std::size_t refused = 0;
  double median_error = 0;  // relative error of the hours
  double mean_error = 0;
  double epochs_median_error = 0;
  double coverage = 0;  // of the 90 % intervals of hours
};

std::vector<TimeScore> evaluate_times(std::span<const TimeRecord> records);

Json to_json(const std::vector<TimeScore>& scores);

}  // namespace tacho
