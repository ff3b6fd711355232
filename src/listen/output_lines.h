#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "record/event.h"

namespace tacho {

// Cuts a program's output into lines as it comes and listens for figures. A progress bar ends its
// lines with a carriage return.
class OutputLines {
 public:
  // Of the lines completed by `bytes`.
  std::vector<FiguresSeen> feed(std::string_view bytes);
  // Of the last line, which nothing ended.
  std::vector<FiguresSeen> finish() { return feed("\n"); }

 private:
  std::string line_;
  bool too_long_ = false;  // what is left of this line is passed over
};

}  // namespace tacho
