#pragma once

#include <cstddef>
#include <string_view>

#include "training/text/special_token.h"

namespace tacho {

// Receives the words of a text in order. Returns whether it wants more.
class WordSink {
 public:
  virtual ~WordSink() = default;
  // UTF-8, in lower case without accents, or one punctuation character. Never empty.
  virtual bool word(std::string_view word, std::size_t characters) = 0;
  virtual bool special(SpecialToken token) = 0;
};

// In characters; longer words are unknown.
inline constexpr std::size_t kLongestWord = 100;

// Splits a text like BERT's tokenizer before it looks for pieces (the uncased models, as
// transformers' BertTokenizerLegacy): first special tokens; then, between whitespace: control
// characters dropped, ideographs separated, lower case, accents dropped, punctuation separated.
// Bytes that are not UTF-8 are dropped.
void split_words(std::string_view text, WordSink& sink);

}  // namespace tacho
