#pragma once

#include <chrono>
#include <deque>
#include <string>

#include "base/terminal.h"
#include "base/units.h"
#include "data/fetch/watch.h"

namespace tacho {

// Works out speed and time left from what a Watch is told. The clock is the caller's.
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
  std::deque<Mark> recent_;  // one a second, as far back as the speed is measured
};

// Shows it on standard error: a line that renews itself on a terminal; elsewhere a line now and
// then, so that a log stays short.
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
