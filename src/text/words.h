#pragma once

#include <cstddef>
#include <string_view>

#include "text/special_token.h"

namespace tacho {

// Is handed the words of a text in their order. Answers whether it wants more.
class WordSink {
 public:
  virtual ~WordSink() = default;
  // UTF-8, in lower case and without accents, or one sign of punctuation. Never empty.
  virtual bool word(std::string_view word, std::size_t characters) = 0;
  virtual bool special(SpecialToken token) = 0;
};

// In characters; one that is longer is taken for unknown.
inline constexpr std::size_t kLongestWord = 100;

// Splits a text as BERT's tokenizer does before it looks for pieces (the uncased models, as
// transformers' BertTokenizerLegacy): special tokens first; then, between whitespace, control
// characters dropped, ideographs each by itself, lower case, accents dropped, punctuation apart.
// Bytes that are not UTF-8 are dropped.
void split_words(std::string_view text, WordSink& sink);

}  // namespace tacho
