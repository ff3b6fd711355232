#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/result.h"

namespace tacho {

// Calls read(line) with every line of a text, without its end; its error gets "line 7: " in front.
template <class Read>
Result<void> each_line(std::string_view text, const Read& read) {
  for (std::int64_t number = 1; !text.empty(); ++number) {
    std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    const Result<void> done = read(line);
    if (!done.ok()) return done.error().in(fmt::format("line {}", number));
  }
  return {};
}

// Takes the text before the next tab off the front of `line`; all of it where there is none.
inline std::string_view next_column(std::string_view& line) {
  const std::string_view column = line.substr(0, line.find('\t'));
  line.remove_prefix(std::min(column.size() + 1, line.size()));
  return column;
}

}  // namespace tacho
