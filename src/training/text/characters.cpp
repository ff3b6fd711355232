#include "training/text/characters.h"

#include <fmt/format.h>

#include "base/terminal.h"
#include "training/text/utf8.h"

namespace tacho {

Result<Characters> Characters::of(const std::set<char32_t>& characters) {
  constexpr std::size_t kMost = 1'000'000;
  if (characters.empty()) return Error{ErrorCode::invalid, "the text has no characters"};
  if (characters.size() > kMost) return Error{ErrorCode::invalid, "too many characters"};
  Characters made;
  made.characters_.assign(characters.begin(), characters.end());
  for (std::size_t i = 0; i < made.characters_.size(); ++i) {
    made.tokens_.emplace(made.characters_[i], static_cast<Token>(i));
  }
  return made;
}

Result<Characters> Characters::of_json(const Json& json) {
  if (!json.is_string()) return Error{ErrorCode::invalid, "'characters' is not a string"};
  std::set<char32_t> characters;
  add_characters(json.get_ref<const std::string&>(), characters);
  return of(characters);
}

Result<std::vector<Characters::Token>> Characters::encode(std::string_view text) const {
  std::vector<Token> tokens;
  tokens.reserve(text.size());
  while (!text.empty()) {
    const auto [c, bytes] = first_character(text);
    const auto at = tokens_.find(c);
    if (at == tokens_.end()) {
      return Error{ErrorCode::invalid,
                   fmt::format("the character '{}' does not occur in the training text",
                               printable(text.substr(0, bytes)))};
    }
    tokens.push_back(at->second);
    text.remove_prefix(bytes);
  }
  return tokens;
}

std::string Characters::decode(std::span<const Token> tokens) const {
  std::string text;
  for (const Token token : tokens) {
    if (token < 0 || token >= size()) continue;
    append_utf8(text, characters_[static_cast<std::size_t>(token)]);
  }
  return text;
}

Json Characters::to_json() const {
  std::string text;
  for (const char32_t c : characters_) append_utf8(text, c);
  return text;
}

void add_characters(std::string_view text, std::set<char32_t>& characters) {
  while (!text.empty()) {
    const auto [c, bytes] = first_character(text);
    characters.insert(c);
    text.remove_prefix(bytes);
  }
}

}  // namespace tacho
