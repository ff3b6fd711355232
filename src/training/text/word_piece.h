#pragma once

#include <cstdint>
#include <limits>
#include <string_view>
#include <vector>

#include "training/text/piece_trie.h"
#include "training/text/piece_vocabulary.h"

namespace tacho {

// Turns text into tokens like BERT's uncased tokenizer: for each word (see words.h) the longest
// token it begins with, then the longest "##" token the rest begins with, and so on. A word that
// cannot be covered, or has over 100 characters, is one [UNK].
class WordPiece {
 public:
  explicit WordPiece(PieceVocabulary vocabulary)
      : vocabulary_(std::move(vocabulary)), trie_(vocabulary_.tokens()) {}

  [[nodiscard]] const PieceVocabulary& vocabulary() const { return vocabulary_; }

  // Returns [CLS] … [SEP], truncated to `most` tokens including both; `most` is at least 2. Accepts
  // any bytes.
  [[nodiscard]] std::vector<std::int32_t> tokens(
      std::string_view text, std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;

 private:
  PieceVocabulary vocabulary_;
  PieceTrie trie_;
};

}  // namespace tacho
