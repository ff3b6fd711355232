#pragma once

#include <string>

#include "fuzz_loop.h"

namespace tacho {

// YAML of great depth, count or size, as the value of `key`.
inline std::string made_yaml(const std::string& key, Random& random) {
  const std::size_t size = fuzz_size(random, 300'000);
  std::string text = key + ": ";
  const auto numbered = [&](std::size_t count, const char* before, const char* after) {
    for (std::size_t i = 0; i < count; ++i) text += before + std::to_string(i) + after;
  };
  switch (random.below(9)) {
    case 0:
      return text + repeated("[", size) + repeated("]", size) + "\n";
    case 1:
      return text + repeated("{a: ", size / 4) + "1" + repeated("}", size / 4) + "\n";
    case 2:
      return text + "\n  " + repeated("- ", size) + "x\n";
    case 3: {  // a table of many keys
      text += "\n";
      numbered(size / 8, "  k", ": 1\n");
      return text;
    }
    case 4: {
      text += "[";
      numbered(size / 8, "", ", ");
      return text + "]\n";
    }
    case 5:
      return text + "\"" + repeated("\\u00e4", size / 6) + "\"\n";
    case 6: {  // each alias refers ten times to the previous one
      std::string aliases = "a0: &a0 [x]\n";
      for (std::size_t i = 1; i < 2 + size % 20; ++i) {
        const std::string before = "*a" + std::to_string(i - 1);
        aliases += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" +
                   repeated(before + ", ", 9) + before + "]\n";
      }
      return aliases + text + "*a1\n";
    }
    case 7: {  // a long list with many anchors
      for (std::size_t i = 0; i < 1 + size % 60; ++i) text += "&b" + std::to_string(i) + " [";
      numbered(size / 16, "", ", ");
      return text + repeated("]", 1 + size % 60) + "\n";
    }
    default:
      return text + "|\n" + repeated("  some words\n", size / 13);
  }
}

}  // namespace tacho
