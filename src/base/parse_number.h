#pragma once

#include <charconv>
#include <optional>
#include <string_view>

namespace tacho {

// Returns the number if it is the whole text. Blanks and a leading plus are not accepted; "nan" and
// "inf" are numbers of a floating-point type.
template <class Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stopped == end ? std::optional(number) : std::nullopt;
}

}  // namespace tacho
