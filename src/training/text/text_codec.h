#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/result.h"
#include "training/text/byte_pairs.h"
#include "training/text/characters.h"

namespace tacho {

// Turns the text of a language model into tokens and back.
class TextCodec {
 public:
  using Token = std::int32_t;

  explicit TextCodec(BytePairs pairs) : codec_(std::move(pairs)) {}
  explicit TextCodec(Characters characters) : codec_(std::move(characters)) {}

  // Reads what save() wrote, a tokenizer.json of Hugging Face's tokenizers, GPT-2's vocab.json with
  // merges.txt next to it, or a folder with one of them.
  static Result<TextCodec> read(const std::filesystem::path& path);
  // Parses the content of a tokenizer.json.
  static Result<TextCodec> parse(std::string_view json);

  [[nodiscard]] std::int64_t size() const;  // number of tokens
  // Fails only on a character that a tokenizer of characters does not have.
  [[nodiscard]] Result<std::vector<Token>> encode(std::string_view text) const;
  [[nodiscard]] std::string decode(std::span<const Token> tokens) const;
  // Separates documents, if the tokenizer has such a token.
  [[nodiscard]] std::optional<Token> end_of_text() const;

  [[nodiscard]] std::string to_json() const;
  // Atomic.
  [[nodiscard]] Result<void> save(const std::filesystem::path& file) const;

 private:
  std::variant<BytePairs, Characters> codec_;
};

}  // namespace tacho
