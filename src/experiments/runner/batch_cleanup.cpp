#include "experiments/runner/batch_cleanup.h"

namespace tacho {

void BatchCleanup::cancel(const std::string& batch) {
  const auto cancelled = launcher_.cancel_all(batch);
  if (!cancelled.ok() && cancelled.error().code != ErrorCode::not_found) {
    view_.note(cancelled.error().message);
    uncancelled_.insert(batch);
  }
  cancelled_at_ = Clock::now();
}

void BatchCleanup::cancel_again() {
  if (uncancelled_.empty() || Clock::now() - cancelled_at_ < patience_.ask_again_after) return;
  std::erase_if(uncancelled_, [this](const std::string& batch) {
    const auto cancelled = launcher_.cancel_all(batch);
    return cancelled.ok() || cancelled.error().code != ErrorCode::unavailable;
  });
  cancelled_at_ = Clock::now();
}

bool BatchCleanup::remove(const std::string& batch) {
  const auto now = Clock::now();
  const auto waiting = removals_.find(batch);
  if (waiting != removals_.end() && now - waiting->second.tried < patience_.ask_again_after) {
    return false;
  }
  const auto forgotten = launcher_.forget(batch);
  if (!forgotten.ok() && forgotten.error().code == ErrorCode::unavailable) {
    Removal& removal = removals_.try_emplace(batch, Removal{now, now}).first->second;
    removal.tried = now;
    if (now - removal.since < patience_.removal) return false;
  }
  if (!forgotten.ok() && forgotten.error().code != ErrorCode::not_found) {
    view_.note(forgotten.error().message);
  }
  removals_.erase(batch);
  return true;
}

}  // namespace tacho
