#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/enum_array.h"
#include "base/result.h"
#include "text/special_token.h"

namespace tacho {

// The tokens of a WordPiece tokenizer, as BERT's vocab.txt has them: one a line, a token's number
// is its line's, counted from 0. "##ing" continues a word.
class PieceVocabulary {
 public:
  // An error names the file and the line.
  static Result<PieceVocabulary> read(const std::filesystem::path& file);
  // The same from a file's content.
  static Result<PieceVocabulary> parse(std::string_view lines);

  [[nodiscard]] const std::vector<std::string>& tokens() const { return tokens_; }
  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(tokens_.size()); }
  // All but the mask are always there; where that is missing, it is the unknown one.
  [[nodiscard]] std::int32_t special(SpecialToken token) const { return special_[token]; }

  // Whole or not at all; read() gives the same back.
  [[nodiscard]] Result<void> save(const std::filesystem::path& file) const;

 private:
  PieceVocabulary() = default;

  std::vector<std::string> tokens_;
  EnumArray<SpecialToken, std::int32_t, kSpecialTokens.size()> special_{};
};

}  // namespace tacho
