#pragma once

#include <string_view>

#include "base/enum_array.h"

namespace tacho {

// BERT's tokens that stand for no text. Where they stand in a text as they are written here, they
// are taken as the tokens they name.
enum class SpecialToken { padding, unknown, begin, end, mask };

inline constexpr EnumArray<SpecialToken, std::string_view, 5> kSpecialTokens = {
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

constexpr std::string_view name_of(SpecialToken token) { return kSpecialTokens[token]; }

}  // namespace tacho
