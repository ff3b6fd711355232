#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>

#include "base/nearest.h"
#include "base/result.h"

namespace tacho {

// The names of an enumeration, for reading and writing.
template <class Enum, std::size_t N>
struct Names {
  std::string_view kind;  // for error messages: "optimizer"
  std::array<std::pair<Enum, std::string_view>, N> table;

  [[nodiscard]] constexpr std::string_view of(Enum value) const {
    for (const auto& [entry, name] : table) {
      if (entry == value) return name;
    }
    broken_invariant("an enumerator without a name");
  }

  [[nodiscard]] Result<Enum> parse(std::string_view word) const {
    for (const auto& [entry, name] : table) {
      if (name == word) return entry;
    }
    return Error{ErrorCode::usage, unknown_name(kind, word, all())};
  }

  [[nodiscard]] constexpr std::array<std::string_view, N> all() const {
    std::array<std::string_view, N> words;
    for (std::size_t i = 0; i < N; ++i) words[i] = table[i].second;
    return words;
  }
};

}  // namespace tacho
