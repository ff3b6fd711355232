#pragma once

#include <chrono>

namespace tacho {

// Returns the wall-clock time, for display. The clock may be set at any moment: compute durations
// from a monotonic clock or a RunClock (base/run_clock.h).
inline double unix_seconds_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

}  // namespace tacho
