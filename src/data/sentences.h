#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacho {

struct LabelledSentence {
  std::vector<std::string> words;  // at least one; ASCII letters in lower case
  std::int64_t label = 0;          // 0 or 1
};

// Reads lines of `sentence<TAB>label`, plain or gzip-compressed, with or without GLUE's heading.
// An error names the file and the line.
Result<std::vector<LabelledSentence>> read_sentences(const std::filesystem::path& file);

}  // namespace tacho
