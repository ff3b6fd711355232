#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tacho {

// Seconds of the monotonic clock, which all processes of a machine share until it is restarted.
inline double monotonic_seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The timestamps of one run: the wall clock's time when the run began, moved on by the monotonic
// clock. The difference of two is a duration, even if the wall clock is set meanwhile. The workers
// of a run take over the clock of the tacho that starts them (kRunClockVariable), so that the
// timestamps of both can be compared.
class RunClock {
 public:
  RunClock() : RunClock(unix_seconds_now(), monotonic_seconds_now()) {}
  RunClock(double unix_seconds, double monotonic_seconds)
      : offset_(unix_seconds - monotonic_seconds) {}

  // The Unix seconds of this run for a moment of the monotonic clock.
  [[nodiscard]] double at(double monotonic_seconds) const { return offset_ + monotonic_seconds; }
  [[nodiscard]] double now() const { return at(monotonic_seconds_now()); }

  // For the environment of a process of this machine. It names the machine's boot: on another
  // machine, or after a restart, the monotonic clock counts from elsewhere.
  [[nodiscard]] std::string text() const;
  // Nothing if `text` is damaged or of another boot.
  static std::optional<RunClock> from_text(std::string_view text);
  // That of the environment, or a new one.
  static RunClock inherited();

 private:
  double offset_;
};

inline constexpr const char* kRunClockVariable = "TACHO_RUN_CLOCK";

}  // namespace tacho
