#pragma once

#include <optional>

#include "base/units.h"
#include "machine/probe/run_delay.h"

namespace tacho {

// Detects whether a process currently competes for processors, from its counters at times chosen by
// the caller. It switches to yes quickly, because a spinning thread costs most at the beginning,
// and to no slowly, because a wrong no costs that time again: the process must have waited little
// for a second. If a no was wrong within a few seconds, that time doubles, up to a minute.
class ContentionSense {
 public:
  // `now` increases from call to call; `total` is the run delay of the process so far.
  bool contended(Seconds now, const RunDelay& total);

 private:
  static constexpr double kBegins = 0.25;  // share of the requested CPU time spent waiting
  static constexpr double kEnds = 0.12;
  static constexpr Seconds kShortestCalm{1};
  static constexpr Seconds kLongestCalm{60};
  static constexpr Seconds kSoon{5};

  std::optional<RunDelay> before_;
  bool contended_ = false;
  Seconds calm_since_{0};
  Seconds ended_{-1e9};
  Seconds calm_ = kShortestCalm;
};

}  // namespace tacho
