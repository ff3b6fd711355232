#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <utility>

#include "base/file.h"
#include "base/mapped_file.h"
#include "base/result.h"

namespace tacho {

// The tokens of a dataset's training and evaluation text, mapped into memory: 2 or 4 bytes per
// token, those for evaluation last, then the prompts, then 32 bytes. Integers are little-endian:
//
//   bytes
//      16  per prompt: its first token and the one after its last
//       8  number of prompts; absent in version 1, which has none
//       8  "TACHOTOK"
//       4  version of the format: 1 or 2
//       4  bytes per token
//       8  number of training tokens
//       8  number of evaluation tokens
class TokenFile {
 public:
  // Checks the numbers at the end and the exact size of the file.
  static Result<TokenFile> open(const std::filesystem::path& path);

  [[nodiscard]] std::int64_t train_tokens() const { return train_; }
  [[nodiscard]] std::int64_t eval_tokens() const { return eval_; }
  // Copies tokens from `from` on; evaluation tokens follow those for training.
  void read(std::int64_t from, std::span<std::int64_t> out) const;

  [[nodiscard]] bool has_prompts() const { return prompts_ > 0; }
  // Replaces those of the tokens from `from` on that belong to a prompt.
  void replace_prompts(std::int64_t from, std::span<std::int64_t> tokens, std::int64_t by) const;

 private:
  struct Prompt {
    std::int64_t begin, end;
  };
  struct Counts {
    std::int64_t width, train, eval, prompts;
  };
  TokenFile(MappedFile file, const Counts& counts)
      : file_(std::move(file)),
        width_(counts.width),
        train_(counts.train),
        eval_(counts.eval),
        prompts_(counts.prompts) {}
  [[nodiscard]] Prompt prompt(std::int64_t index) const;

  MappedFile file_;
  std::int64_t width_;
  std::int64_t train_;
  std::int64_t eval_;
  std::int64_t prompts_;
};

// Writes a TokenFile that appears complete or not at all.
class TokenFileWriter {
 public:
  // `vocabulary` determines the bytes per token.
  static Result<TokenFileWriter> create(std::filesystem::path path, std::int64_t vocabulary);

  Result<void> add(std::span<const std::int32_t> tokens);
  Result<void> add_prompt(std::span<const std::int32_t> tokens);
  [[nodiscard]] std::int64_t tokens() const { return tokens_; }
  // The last `eval` tokens are for evaluation.
  Result<void> finish(std::int64_t eval);

 private:
  TokenFileWriter(AtomicFile file, std::int64_t width) : file_(std::move(file)), width_(width) {}

  AtomicFile file_;
  std::int64_t width_;
  std::int64_t tokens_ = 0;
  std::string prompts_;  // as in the file
};

}  // namespace tacho
