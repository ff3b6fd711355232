#pragma once

#include <chrono>
#include <csignal>
#include <optional>
#include <utility>

#include "base/units.h"

namespace tacho {

// Tracks the time limit of a run, which gets SIGTERM and, if it does not end, SIGKILL.
class TimeLimit {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::seconds kGrace{10};

  // Starts at `now`. Without a limit no signal is ever due.
  TimeLimit(std::optional<double> seconds, Clock::time_point now) : seconds_(seconds) {
    if (seconds) next_ = now + std::chrono::duration_cast<Clock::duration>(Seconds(*seconds));
  }

  // Returns the signal that is due now, each once: SIGTERM, and SIGKILL after kGrace; 0 if none.
  int due(Clock::time_point now) {
    if (now < next_) return 0;
    next_ = reached_ ? Clock::time_point::max() : now + kGrace;
    return std::exchange(reached_, true) ? SIGKILL : SIGTERM;
  }

  [[nodiscard]] bool reached() const { return reached_; }
  [[nodiscard]] double seconds() const { return seconds_.value_or(0); }

 private:
  std::optional<double> seconds_;
  Clock::time_point next_ = Clock::time_point::max();
  bool reached_ = false;
};

}  // namespace tacho
