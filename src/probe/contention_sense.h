#pragma once

#include <optional>

#include "base/units.h"
#include "probe/run_delay.h"

namespace tacho {

// Whether a process currently competes for processors, from its counters at moments that the caller
// chooses. It is quick to say yes, because a spinning thread costs most in the first moments, and
// slow to say no, because a wrong no costs those moments again: the process must have waited little
// for a second. A no that turned out wrong within a few seconds doubles that time, up to a minute.
class ContentionSense {
 public:
  // `now` rises from call to call; `total` is the process's whole run delay by then.
  bool contended(Seconds now, const RunDelay& total);

 private:
  static constexpr double kBegins = 0.25;  // share of the wanted time that was spent waiting
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
