#include "training/train/step_log.h"

namespace tacho {
namespace {

constexpr std::chrono::milliseconds kFlushEvery{100};

}  // namespace

Result<void> StepLog::add(const Step& step) {
  if (pending_.seconds.empty()) {
    pending_.epoch = step.epoch;
    pending_.first_step = step.number;
  }
  pending_.seconds.push_back(step.seconds);
  pending_.input_seconds.push_back(step.input_seconds);
  pending_.loss.push_back(step.loss);
  if (warmup_left_ > 0) {
    --warmup_left_;
    ++pending_.warmup;
  }
  if (std::chrono::steady_clock::now() - last_flush_ < kFlushEvery) return {};
  return flush();
}

Result<void> StepLog::flush() {
  last_flush_ = std::chrono::steady_clock::now();
  if (pending_.seconds.empty()) return {};
  const StepsDone done = std::exchange(pending_, {});
  return report_(done);
}

}  // namespace tacho
