#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// The text files of a language model's dataset, plain or gzip-compressed.
struct TextFiles {
  std::vector<std::filesystem::path> train;
  // Empty: the last tenth of the training text is used for evaluation.
  std::vector<std::filesystem::path> eval;
};

// `path` is a .txt, .md or .jsonl file, or a folder with some. In a folder, files whose names begin
// with "val", "eval", "dev" or "test" are the evaluation part. Files are in order of name.
Result<TextFiles> find_text_files(const std::filesystem::path& path);

// A model learns to write the text after a prompt, but not the prompt. Most documents have none.
struct Document {
  std::string_view prompt;
  std::string_view text;
};

using TakeDocument = std::function<Result<void>(const Document&)>;

// Calls `take` for every document: the whole .txt or .md file, or the "text", or the "prompt" and
// "completion", of each line of a .jsonl file. Documents are UTF-8 and not empty; an error names
// the file and the line.
Result<void> read_documents(const std::filesystem::path& file, const TakeDocument& take);

}  // namespace tacho
