#pragma once

#include <cstddef>
#include <string_view>

#include "base/names.h"

namespace tacho {

// How a text is split into pieces before byte-level BPE, which joins nothing across pieces. Each
// rule equals the regular expression of its tokenizer.
enum class PieceRule { gpt2, llama3 };
inline constexpr Names<PieceRule, 2> kPieceRules{
    "rule", {{{PieceRule::gpt2, "gpt2"}, {PieceRule::llama3, "llama3"}}}};

// The expression in a tokenizer.json; "" for GPT-2's, which is the default of the format.
std::string_view expression_of(PieceRule rule);

// Returns the bytes of the first piece of a text that is not empty. A byte that is not UTF-8 counts
// as a symbol.
std::size_t first_piece(std::string_view text, PieceRule rule);

}  // namespace tacho
