#pragma once

#include <chrono>
#include <map>
#include <set>
#include <string>

#include "experiments/runner/sweep_view.h"
#include "machine/launch/launcher.h"

namespace tacho {

// Cancels and removes the batches of a sweep. A scheduler that does not answer is asked again.
class BatchCleanup {
 public:
  struct Patience {
    std::chrono::milliseconds ask_again_after;
    std::chrono::milliseconds removal;  // then the batch stays with the scheduler
  };
  BatchCleanup(Launcher& launcher, SweepView& view, Patience patience)
      : launcher_(launcher), view_(view), patience_(patience) {}

  void cancel(const std::string& batch);
  // Repeats the cancellations that the scheduler did not answer.
  void cancel_again();
  // Removes a batch without tasks. Returns true if it need not be called again.
  bool remove(const std::string& batch);

 private:
  using Clock = std::chrono::steady_clock;
  struct Removal {
    Clock::time_point since;
    Clock::time_point tried;
  };

  Launcher& launcher_;
  SweepView& view_;
  Patience patience_;
  std::set<std::string> uncancelled_;
  Clock::time_point cancelled_at_ = {};  // last time that was tried
  std::map<std::string, Removal> removals_;
};

}  // namespace tacho
