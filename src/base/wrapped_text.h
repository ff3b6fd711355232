#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tacho {

// Breaks text at blanks into lines of at most `columns`; a longer word gets a line to itself. All
// lines but the first begin with `indent`, and the text ends with a newline.
std::string wrapped(std::string_view text, std::size_t columns, std::string_view indent = "");

// The same in the columns from `column` on: all lines but the first begin with blanks.
std::string hanging(std::string_view text, std::size_t column, std::size_t columns);

}  // namespace tacho
