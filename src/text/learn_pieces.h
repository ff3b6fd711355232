#pragma once

#include <cstdint>

#include "base/result.h"
#include "text/piece_vocabulary.h"
#include "text/word_counts.h"

namespace tacho {

struct LearnOptions {
  std::int64_t size = 8000;  // of the vocabulary, special tokens among them
  // Neighbours that occur less often together are not joined: so a small text may end with fewer
  // tokens than `size`.
  std::int64_t min_count = 2;
  // The most frequent ones; words with others become unknown.
  std::int64_t most_characters = 1000;
};

// Learns a vocabulary as the tokenizers library's WordPieceTrainer does: begins with single
// characters, then again and again joins the two neighbours that occur most often. Equals are taken
// in the order of their tokens, so the same words give the same vocabulary on every machine.
Result<PieceVocabulary> learn_pieces(const WordCounts& words, const LearnOptions& options = {});

}  // namespace tacho
