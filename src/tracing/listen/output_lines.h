#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/record/event.h"
#include "tracing/listen/step_number.h"

namespace tacho {

// Splits a program's output into lines incrementally and finds figures and step numbers in them.
// Progress bars end their lines with a carriage return, before the next one.
class OutputLines {
 public:
  // Returns the figures of the lines completed by `bytes`.
  std::vector<FiguresSeen> feed(std::string_view bytes);
  // Returns the figures of the last line, which has no line end.
  std::vector<FiguresSeen> finish() { return feed("\n"); }
  // Returns the step numbers seen since the last call, also of a line that has no end yet.
  std::vector<StepNumber> take_numbers() { return std::exchange(numbers_, {}); }

 private:
  void number(std::string_view line);

  std::vector<StepNumber> numbers_;
  std::string line_;
  bool too_long_ = false;  // the rest of this line is skipped
};

}  // namespace tacho
