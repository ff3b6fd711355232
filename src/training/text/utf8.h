#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tacho {

inline constexpr char32_t kReplacementCharacter = 0xFFFD;

struct Utf8Character {
  char32_t code_point;
  std::size_t bytes;
};

// Returns the first character of `text`, which must not be empty. An invalid byte gives U+FFFD.
Utf8Character first_character(std::string_view text);

void append_utf8(std::string& text, char32_t code_point);

// Checks RFC 3629: no overlong forms, no surrogates, nothing beyond U+10FFFF.
bool is_utf8(std::string_view text);

}  // namespace tacho
