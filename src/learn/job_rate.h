#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "learn/batch_law.h"
#include "learn/time_record.h"

namespace tacho {

// What a training runs on.
struct JobShape {
  std::string gpu;
  double gpus = 1;
  double nodes = 1;
  double batch = 0;  // of all GPUs
  std::string recipe;
};

// How many epochs an hour tuned submissions of one task made, by GPU, GPUs, nodes and batch:
// a ridge regression of the logarithm, robust against single slow submissions.
class JobRate {
 public:
  // Records of one task, with their batch.
  static JobRate fit(std::span<const TimeRecord> records);

  // ErrorCode::unavailable where no record is of this GPU.
  [[nodiscard]] Result<Range> epochs_per_hour(const JobShape& shape) const;

 private:
  [[nodiscard]] std::vector<double> features(const JobShape& shape) const;

  std::map<std::string, std::size_t> gpus_;
  std::vector<std::string> recipes_;
  std::vector<double> weights_;
  double spread_ = 0;
};

// Hours to the target: epochs by the batch law over the rate.
struct TimeToTarget {
  Range epochs;
  Range hours;
};
class TimeModel {
 public:
  static TimeModel fit(std::span<const TimeRecord> records);
  [[nodiscard]] Result<TimeToTarget> at(const JobShape& shape) const;

 private:
  TimeModel(BatchLaw law, JobRate rate) : law_(std::move(law)), rate_(std::move(rate)) {}
  BatchLaw law_;
  JobRate rate_;
};

}  // namespace tacho
