#pragma once

#include <string>
#include <string_view>

#include "base/terminal.h"

namespace tacho {

// Returns the last line of a program's output, for error messages; "" if there is none.
inline std::string last_line(std::string_view text) {
  const auto end = text.find_last_not_of(" \t\r\n");
  if (end == std::string_view::npos) return "";
  text = text.substr(0, end + 1);
  const auto begin = text.find_last_of("\r\n");
  return printable(begin == std::string_view::npos ? text : text.substr(begin + 1));
}

}  // namespace tacho
