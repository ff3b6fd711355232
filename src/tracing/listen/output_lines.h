#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/record/event.h"

namespace tacho {

// Splits a program's output into lines incrementally and finds figures in them. Progress bars end
// their lines with a carriage return.
class OutputLines {
 public:
  // Returns the figures of the lines completed by `bytes`.
  std::vector<FiguresSeen> feed(std::string_view bytes);
  // Returns the figures of the last line, which has no line end.
  std::vector<FiguresSeen> finish() { return feed("\n"); }

 private:
  std::string line_;
  bool too_long_ = false;  // the rest of this line is skipped
};

}  // namespace tacho
