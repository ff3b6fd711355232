#pragma once

#include <chrono>
#include <cstdint>

#include "base/result.h"
#include "training/train/trainer.h"

namespace tacho {

// Collects steps and reports several at a time: often enough for a live view and to lose little on
// a kill, rarely enough to cost nothing.
class StepLog {
 public:
  // The first `warmup` steps are excluded from the steady state.
  StepLog(const Report& report, std::int64_t warmup) : report_(report), warmup_left_(warmup) {}

  struct Step {
    std::int64_t epoch;
    std::int64_t number;  // of the whole run, from 1
    double seconds;
    double input_seconds;
    double loss;
  };
  Result<void> add(const Step& step);
  Result<void> flush();

 private:
  const Report& report_;
  std::int64_t warmup_left_;
  StepsDone pending_;
  std::chrono::steady_clock::time_point last_flush_ = std::chrono::steady_clock::now();
};

}  // namespace tacho
