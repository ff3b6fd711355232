#pragma once

#include <cstdint>
#include <string>

#include "base/random.h"

namespace tacho {

// Damages input for tests of readers: changes, removes, duplicates or inserts some bytes.
inline std::string mutated(std::string bytes, Random& random) {
  const auto below = [&](std::size_t bound) {
    return bound == 0 ? 0 : static_cast<std::size_t>(random.next() % bound);
  };
  const std::size_t changes = 1 + below(4);
  for (std::size_t i = 0; i < changes; ++i) {
    const std::size_t at = below(bytes.size());
    const std::size_t length = below(8) + 1;
    switch (below(6)) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1U << below(8)));
        break;
      case 1:
        if (!bytes.empty()) bytes[at] = static_cast<char>(below(256));
        break;
      case 2:
        if (!bytes.empty()) bytes[at] = static_cast<char>(below(2) == 0 ? 0xff : 0);
        break;
      case 3:
        bytes.erase(at, length);
        break;
      case 4:
        bytes.insert(at, bytes.substr(below(bytes.size()), length));
        break;
      default:
        bytes.insert(at, length, static_cast<char>(below(256)));
        break;
    }
  }
  return bytes;
}

}  // namespace tacho
