#pragma once

#include <string_view>
#include <vector>

namespace tacho {

// Splits at every `separator` and keeps empty parts: an empty text is one empty part.
std::vector<std::string_view> split(std::string_view text, char separator);

// Returns the lines without their "\n". A text that ends in one has no empty last line.
std::vector<std::string_view> lines_of(std::string_view text);

// Returns the text up to the first "\n".
std::string_view first_line(std::string_view text);

// Returns the text without white space at its ends.
std::string_view trimmed(std::string_view text);

}  // namespace tacho
