#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace tacho {

// BERT's tokens that stand for no text. Where they stand in a text as they are written here, they
// are taken as the tokens they name.
enum class SpecialToken { padding, unknown, begin, end, mask };

inline constexpr std::array<std::string_view, 5> kSpecialTokens = {"[PAD]", "[UNK]", "[CLS]",
                                                                   "[SEP]", "[MASK]"};

constexpr std::string_view name_of(SpecialToken token) {
  return kSpecialTokens[static_cast<std::size_t>(token)];
}

}  // namespace tacho
