#pragma once

#include <algorithm>
#include <chrono>

#include "base/units.h"

namespace tacho {

// Lets something costly happen so seldom that it takes no more than a share of one processor.
class Ration {
 public:
  using Clock = std::chrono::steady_clock;

  explicit Ration(double share) : share_(share) {}

  [[nodiscard]] bool due(Clock::time_point now) const { return now >= next_; }
  // What it cost this time. Not again before `pause`, however cheap it was.
  void spent(Clock::time_point now, Seconds cost, Seconds pause = Seconds(0)) {
    next_ = now + std::chrono::duration_cast<Clock::duration>(std::max(cost / share_, pause));
  }

 private:
  double share_;
  Clock::time_point next_{};
};

}  // namespace tacho
