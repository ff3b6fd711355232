#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "core/record/ranks.h"
#include "training/train/step_log.h"

namespace tacho {

// One rank's report of one step.
struct RankStep {
  std::int64_t epoch = 1;
  std::int64_t number = 1;
  double seconds = 0;
  double input_seconds = 0;
  double loss = 0;    // of its share of the batch
  double weight = 1;  // of that share; the mean over the ranks is 1
  double backward_seconds = 0;
  double comm_seconds = 0;
  double exposed_seconds = 0;
  std::int64_t wire_bytes = 0;
  std::int64_t payload_bytes = 0;
};

// Encodes several steps as one message to rank 0, and decodes it.
std::string to_message(const std::vector<RankStep>& steps);
Result<std::vector<RankStep>> steps_from_message(std::string_view text);

// Used by rank 0: collects the ranks' steps and logs each one when all ranks have reported it.
class RankBook {
 public:
  explicit RankBook(std::size_t ranks) : received_(ranks) {}

  void add(std::size_t rank, const std::vector<RankStep>& steps);
  // Logs the steps that every rank has reported; the loss is that of the whole batch.
  Result<void> log_complete(StepLog& log);
  // Reports what the ranks did in the steps logged since: periodically, or immediately.
  Result<void> report(const Report& report, bool at_once);
  [[nodiscard]] bool is_empty() const;

 private:
  std::vector<std::deque<RankStep>> received_;
  RanksDone pending_;
  std::chrono::steady_clock::time_point last_report_ = std::chrono::steady_clock::now();
};

}  // namespace tacho
