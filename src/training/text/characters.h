#pragma once

#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"

namespace tacho {

// A tokenizer with one token per character, in the order of Unicode.
class Characters {
 public:
  using Token = std::int32_t;

  // At most a million.
  static Result<Characters> of(const std::set<char32_t>& characters);
  static Result<Characters> of_json(const Json& json);

  [[nodiscard]] std::int64_t size() const { return static_cast<std::int64_t>(characters_.size()); }
  // Fails on a character that the tokenizer does not have.
  [[nodiscard]] Result<std::vector<Token>> encode(std::string_view text) const;
  // Unknown numbers give nothing.
  [[nodiscard]] std::string decode(std::span<const Token> tokens) const;

  [[nodiscard]] Json to_json() const;

 private:
  std::u32string characters_;
  std::unordered_map<char32_t, Token> tokens_;
};

// Adds the characters of a text.
void add_characters(std::string_view text, std::set<char32_t>& characters);

}  // namespace tacho
