#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>

namespace tacho {

// Returns the number of bytes of a UTF-8 text before a character at its end that is not complete
// yet.
inline std::size_t complete_bytes(std::string_view text) {
  constexpr std::size_t kLongest = 4;
  for (std::size_t tail = 1; tail <= std::min(kLongest, text.size()); ++tail) {
    const auto byte = static_cast<unsigned char>(text[text.size() - tail]);
    if ((byte & 0xC0U) == 0x80U) continue;  // continues a character
    const std::size_t wanted = byte < 0xC0 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4;
    return tail < wanted ? text.size() - tail : text.size();
  }
  return text.size();
}

}  // namespace tacho
