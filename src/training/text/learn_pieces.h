#pragma once

#include <cstdint>

#include "base/result.h"
#include "training/text/piece_vocabulary.h"
#include "training/text/word_counts.h"

namespace tacho {

struct LearnOptions {
  std::int64_t size = 8000;  // of the vocabulary, including special tokens
  // Neighbours that occur together less often are not joined, so a small text may give fewer tokens
  // than `size`.
  std::int64_t min_count = 2;
  // Keeps the most frequent characters; words with others become unknown.
  std::int64_t most_characters = 1000;
};

// Learns a vocabulary like WordPieceTrainer of the tokenizers library: starts with single
// characters, then repeatedly joins the two neighbours that occur together most often. Ties are
// resolved in token order, so the same words give the same vocabulary on every machine.
Result<PieceVocabulary> learn_pieces(const WordCounts& words, const LearnOptions& options = {});

}  // namespace tacho
