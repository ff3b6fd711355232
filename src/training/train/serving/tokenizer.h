#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/sha256.h"
#include "training/data/vocabulary.h"
#include "training/text/word_piece.h"

namespace tacho {

// Turns a text into the tokens that training would make of it.
class Tokenizer {
 public:
  Tokenizer() = default;
  Tokenizer(std::span<const std::string> words, std::optional<std::int64_t> max_words)
      : words_(std::in_place, words), max_words_(max_words) {}
  Tokenizer(PieceVocabulary pieces, std::int64_t max_tokens)
      : pieces_(std::in_place, std::move(pieces)), max_tokens_(max_tokens) {}

  [[nodiscard]] std::int64_t max_tokens() const { return max_tokens_; }
  [[nodiscard]] std::int64_t pieces() const { return pieces_ ? pieces_->vocabulary().size() : 0; }
  [[nodiscard]] std::vector<std::int32_t> tokens(std::string_view text) const {
    return pieces_ ? pieces_->tokens(text, max_tokens_) : words_->tokens(text, max_words_);
  }
  void add_to(Sha256& sum) const {
    if (words_) {
      for (const std::string& word : words_->words()) sum.add(word + "\n");
      if (max_words_) sum.add(fmt::format("at most {}\n", *max_words_));
    }
    if (pieces_) {
      for (const std::string& piece : pieces_->vocabulary().tokens()) sum.add(piece + "\n");
      sum.add(fmt::format("at most {}\n", max_tokens_));
    }
  }

 private:
  std::optional<Vocabulary> words_;
  std::optional<std::int64_t> max_words_;
  std::optional<WordPiece> pieces_;
  std::int64_t max_tokens_ = 0;
};

}  // namespace tacho
