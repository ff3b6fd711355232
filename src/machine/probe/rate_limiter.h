#pragma once

#include <algorithm>
#include <chrono>

#include "base/units.h"

namespace tacho {

// Limits an expensive operation to a share of one processor.
class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RateLimiter(double share) : share_(share) {}

  [[nodiscard]] bool due(Clock::time_point now) const { return now >= next_; }
  // Reports the cost of one execution. The next one is due after `pause` at the earliest.
  void spent(Clock::time_point now, Seconds cost, Seconds pause = Seconds(0)) {
    next_ = now + std::chrono::duration_cast<Clock::duration>(std::max(cost / share_, pause));
  }

 private:
  double share_;
  Clock::time_point next_{};
};

}  // namespace tacho
