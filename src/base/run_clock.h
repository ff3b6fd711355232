#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"

namespace tacho {

// Returns the monotonic clock, which all processes of a machine share until it is rebooted.
inline double monotonic_seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// The timestamps of one run: the wall-clock time at which the run began, advanced by the monotonic
// clock. Differences are durations, even if the wall clock is set in between. Workers inherit the
// clock of the tacho process that starts them (kRunClockVariable), so that their timestamps can be
// compared.
class RunClock {
 public:
  RunClock() : RunClock(unix_seconds_now(), monotonic_seconds_now()) {}
  RunClock(double unix_seconds, double monotonic_seconds)
      : offset_(unix_seconds - monotonic_seconds) {}

  // Converts a reading of the monotonic clock to Unix seconds.
  [[nodiscard]] double at(double monotonic_seconds) const { return offset_ + monotonic_seconds; }
  [[nodiscard]] double now() const { return at(monotonic_seconds_now()); }

  // Returns the value of kRunClockVariable for a process on this machine. It contains the boot ID:
  // on another machine, or after a reboot, the monotonic clock has another origin.
  [[nodiscard]] std::string text() const;
  // Returns nothing if `text` is damaged or from another boot.
  static std::optional<RunClock> from_text(std::string_view text);
  // Reads the clock from the environment; returns a new one if it is not set.
  static RunClock inherited();

 private:
  double offset_;
};

inline constexpr const char* kRunClockVariable = "TACHO_RUN_CLOCK";

}  // namespace tacho
