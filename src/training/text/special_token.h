#pragma once

#include <string_view>

#include "base/enum_array.h"

namespace tacho {

// BERT's tokens that stand for no text. If a text contains them as written here, they become the
// tokens they name.
enum class SpecialToken { padding, unknown, begin, end, mask };

inline constexpr EnumArray<SpecialToken, std::string_view, 5> kSpecialTokens = {
    "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"};

constexpr std::string_view name_of(SpecialToken token) { return kSpecialTokens[token]; }

}  // namespace tacho
