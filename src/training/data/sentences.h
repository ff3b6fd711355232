#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

struct LabelledSentence {
  std::string text;        // UTF-8, as in the file; not only spaces
  std::int64_t label = 0;  // 0 or 1
};

// Reads lines of `sentence<TAB>label`, plain or gzip-compressed, with or without GLUE's heading.
// An error names the file and the line.
Result<std::vector<LabelledSentence>> read_sentences(const std::filesystem::path& file);

// Lowers ASCII letters, splits at white space, and separates punctuation from words: "Great, isn't
// it?..." is great , isn't it ? ... Only equal punctuation characters stay together.
std::vector<std::string> lower_case_words(std::string_view sentence);

}  // namespace tacho
