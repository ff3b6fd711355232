#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "core/record/model_catalog.h"
#include "training/data/catalog.h"
#include "training/data/vocabulary.h"
#include "training/text/piece_vocabulary.h"

namespace tacho {

inline constexpr std::int64_t kMaxPieces = 128;

struct TextOptions {
  TokenKind kind = TokenKind::word;
  // Tokens per sentence, with [CLS] and [SEP]. Default: kMaxPieces of word pieces, all words.
  std::optional<std::int64_t> max_length = {};
  // For word pieces only:
  std::filesystem::path vocabulary_file;  // BERT's vocab.txt; "" learns one from the training part
  std::int64_t vocabulary_size = 8000;    // of a learned vocabulary
};

struct TextSet {
  std::vector<std::vector<std::int32_t>> tokens;  // one list per sentence, none empty
  std::vector<std::int64_t> labels;               // each in [0, classes)
};

struct TextData {
  TextSet train;
  TextSet eval;
  std::int64_t classes = 0;
  std::int64_t vocabulary = 0;           // tokens are below this
  std::int32_t padding = kPaddingToken;  // pads sentences to the length of their batch; always 0
  std::optional<PieceVocabulary> pieces = {};  // of word pieces
  std::optional<Vocabulary> words = {};        // of whole words
};

// The vocabulary is built from the training part only: new words in the evaluation part are
// unknown.
Result<TextData> load_text(const DatasetInfo& info, const std::filesystem::path& folder,
                           const TextOptions& options = {});

}  // namespace tacho
