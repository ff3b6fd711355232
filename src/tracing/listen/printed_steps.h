#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/units.h"
#include "core/record/event.h"
#include "tracing/listen/step_number.h"

namespace tacho {

// Computes the time of a step from the step numbers in a program's output and when they came.
//
// Programs print at intervals of steps, and evaluate or save something in between: the result is
// the median over steps, so that long pauses do not count. Lines that arrive together, because the
// program buffers its output, count as one.
class PrintedSteps {
 public:
  // `at` is Unix time that does not decrease.
  void add(Seconds at, const StepNumber& number);
  // Of the series of numbers that covers the longest time; nothing if it has too few.
  [[nodiscard]] std::optional<StepsFound> find() const;

 private:
  struct Interval {
    Seconds time{};
    double steps = 0;
  };
  struct Series {
    Seconds began{};
    Seconds at{};
    std::int64_t step = 0;
    bool measured = false;  // the last interval ends at `at`
    Interval between = {};  // from the last line of each epoch to the first of the next
    std::vector<Interval> intervals = {};
    void add(Seconds now, std::int64_t number);
    void merge_pairs();
  };
  std::map<std::string, Series> series_;
};

}  // namespace tacho
