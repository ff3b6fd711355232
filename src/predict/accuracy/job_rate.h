#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "predict/accuracy/batch_law.h"
#include "predict/accuracy/time_record.h"

namespace tacho {

// The hardware and batch of a training.
struct JobShape {
  std::string gpu;
  double gpus = 1;
  double nodes = 1;
  double batch = 0;  // of all GPUs
  std::string recipe;
};

// Epochs per hour of tuned submissions of one task, by GPU, number of GPUs and nodes, and batch: a
// ridge regression of the logarithm, robust against single slow submissions.
class JobRate {
 public:
  // Needs records of one task, with their batch.
  static JobRate fit(std::span<const TimeRecord> records);

  // Abstains with ErrorCode::unavailable if no record has this GPU.
  [[nodiscard]] Result<Estimate> epochs_per_hour(const JobShape& shape) const;

 private:
  [[nodiscard]] std::vector<double> features(const JobShape& shape) const;

  std::map<std::string, std::size_t> gpus_;
  std::vector<std::string> recipes_;
  std::vector<double> weights_;
  double spread_ = 0;
};

// Hours to the target: epochs from the batch law over epochs per hour.
struct TimeToTarget {
  Estimate epochs;
  Estimate hours;
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
