#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/result.h"
#include "data/catalog.h"
#include "data/vocabulary.h"
#include "record/model_catalog.h"
#include "text/piece_vocabulary.h"

namespace tacho {

struct TextOptions {
  TokenKind kind = TokenKind::word;
  // The rest is for word pieces.
  std::filesystem::path vocabulary_file;  // BERT's vocab.txt; "": learn one from the training part
  std::int64_t vocabulary_size = 8000;    // of one that is learned
  std::int64_t max_length = 128;          // a sentence's tokens, [CLS] and [SEP] among them
};

struct TextSet {
  std::vector<std::vector<std::int32_t>> tokens;  // one list a sentence, none empty
  std::vector<std::int64_t> labels;               // each in [0, classes)
};

struct TextData {
  TextSet train;
  TextSet eval;
  std::int64_t classes = 0;
  std::int64_t vocabulary = 0;                 // tokens are below this
  std::int32_t padding = kPaddingToken;        // fills a batch behind a sentence's end; always 0
  std::optional<PieceVocabulary> pieces = {};  // of word pieces
  std::optional<Vocabulary> words = {};        // of whole words
};

// The vocabulary is the training part's alone: evaluation sees new words as unknown.
Result<TextData> load_text(const DatasetInfo& info, const std::filesystem::path& folder,
                           const TextOptions& options = {});

}  // namespace tacho
