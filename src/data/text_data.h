#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "base/result.h"
#include "data/catalog.h"

namespace tacho {

struct TextSet {
  std::vector<std::vector<std::int32_t>> tokens;  // one list a sentence, none empty; see Vocabulary
  std::vector<std::int64_t> labels;               // each in [0, classes)
};

struct TextData {
  TextSet train;
  TextSet eval;
  std::int64_t classes = 0;
  std::int64_t vocabulary = 0;  // tokens are below this
};

// The vocabulary is the training part's alone: evaluation sees new words as unknown.
Result<TextData> load_text(const DatasetInfo& info, const std::filesystem::path& folder);

}  // namespace tacho
