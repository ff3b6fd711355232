#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/result.h"
#include "training/text/special_token.h"

namespace tacho {

// The tokens of a WordPiece tokenizer in the format of BERT's vocab.txt: one per line, numbered by
// line from 0. "##ing" continues a word.
class PieceVocabulary {
 public:
  // Errors contain the file and the line.
  static Result<PieceVocabulary> read(const std::filesystem::path& file);
  // Parses the content of a file.
  static Result<PieceVocabulary> parse(std::string_view lines);

  [[nodiscard]] const std::vector<std::string>& tokens() const { return tokens_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  // All special tokens but the mask always exist; a missing mask is the unknown token.
  [[nodiscard]] std::int32_t special(SpecialToken token) const { return special_[token]; }

  // Atomic; read() returns the same vocabulary.
  [[nodiscard]] Result<void> save(const std::filesystem::path& file) const;

 private:
  PieceVocabulary() = default;

  std::vector<std::string> tokens_;
  EnumArray<SpecialToken, std::int32_t, kSpecialTokens.size()> special_{};
};

}  // namespace tacho
