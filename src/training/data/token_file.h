#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <utility>

#include "base/file.h"
#include "base/mapped_file.h"
#include "base/result.h"

namespace tacho {

// The tokens of a dataset's training and evaluation text, mapped into memory: 2 or 4 bytes per
// token, those for evaluation last, then 32 bytes. Integers are little-endian:
//
//   bytes
//       8  "TACHOTOK"
//       4  version of the format: 1
//       4  bytes per token
//       8  number of training tokens
//       8  number of evaluation tokens
class TokenFile {
 public:
  // Checks the last 32 bytes and the exact size of the file.
  static Result<TokenFile> open(const std::filesystem::path& path);

  [[nodiscard]] std::int64_t train_tokens() const { return train_; }
  [[nodiscard]] std::int64_t eval_tokens() const { return eval_; }
  // Copies tokens from `from` on; evaluation tokens follow those for training.
  void read(std::int64_t from, std::span<std::int64_t> out) const;

 private:
  TokenFile(MappedFile file, std::int64_t width, std::int64_t train, std::int64_t eval)
      : file_(std::move(file)), width_(width), train_(train), eval_(eval) {}

  MappedFile file_;
  std::int64_t width_;
  std::int64_t train_;
  std::int64_t eval_;
};

// Writes a TokenFile that appears complete or not at all.
class TokenFileWriter {
 public:
  // `vocabulary` determines the bytes per token.
  static Result<TokenFileWriter> create(std::filesystem::path path, std::int64_t vocabulary);

  Result<void> add(std::span<const std::int32_t> tokens);
  [[nodiscard]] std::int64_t tokens() const { return tokens_; }
  // The last `eval` tokens are for evaluation.
  Result<void> finish(std::int64_t eval);

 private:
  TokenFileWriter(AtomicFile file, std::int64_t width) : file_(std::move(file)), width_(width) {}

  AtomicFile file_;
  std::int64_t width_;
  std::int64_t tokens_ = 0;
};

}  // namespace tacho
