#pragma once

#include <chrono>

namespace tacho {

// The time of day, for what is shown. It may be set at any moment: a duration is the difference of
// two readings of a monotonic clock, or of a RunClock (base/run_clock.h).
inline double unix_seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace tacho
