#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "base/terminal.h"
#include "base/units.h"
#include "training/data/fetch/watch.h"

namespace tacho {

// Computes speed and remaining time. The caller passes the clock.
class ProgressState {
 public:
  using Time = std::chrono::steady_clock::time_point;

  void add(const Progress& progress, Time now);
  // "61.2 GiB of 144 GiB  42.5 %  212 MiB/s  6:41 left"
  [[nodiscard]] std::string line() const;

 private:
  struct Mark {
    Time time;
    std::int64_t made;
  };
  [[nodiscard]] double per_second() const;

  Progress last_;
  std::deque<Mark> recent_;  // one per second, over the time for which the speed is measured
};

// Shows progress on standard error: an updating line on a terminal, otherwise a line from time to
// time.
class ProgressLine {
 public:
  explicit ProgressLine(const Terminal& terminal) : terminal_(terminal) {}
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void show(const Progress& progress);
  void clear();

 private:
  const Terminal& terminal_;
  ProgressState state_;
  ProgressState::Time next_ = {};
  bool begun_ = false;
  bool shown_ = false;
};

}  // namespace tacho
