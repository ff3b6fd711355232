#include "training/text/learn_pieces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "training/text/pair_joiner.h"
#include "training/text/utf8.h"

namespace tacho {
namespace {

using Token = PairJoiner::Token;

std::u32string characters_of(std::string_view word) {
  std::u32string characters;
  while (!word.empty()) {
    const auto [c, bytes] = first_character(word);
    characters.push_back(c);
    word.remove_prefix(bytes);
  }
  return characters;
}

std::string piece_of(char32_t c, bool continuing) {
  std::string piece = continuing ? "##" : "";
  append_utf8(piece, c);
  return piece;
}

class PieceLearner {
 public:
  explicit PieceLearner(const LearnOptions& options) : options_(options) {
    for (const std::string_view token : kSpecialTokens) token_of(std::string(token));
  }

  Result<void> read(const WordCounts& counts) {
    std::vector<std::pair<std::u32string, std::int64_t>> words;
    for (const auto& [word, count] : counts.counts()) {
      words.emplace_back(characters_of(word), count);
    }
    TACHO_CHECK(learn_alphabet(words));
    for (const auto& [word, count] : words) add_word(word, count);
    return {};
  }

  void join() {
    joiner_.join(
        options_.min_count,
        [this] { return static_cast<std::int64_t>(tokens_.size()) < options_.size; },
        [this](TokenPair pair) {
          return token_of(tokens_[static_cast<std::size_t>(pair.left)] +
                          tokens_[static_cast<std::size_t>(pair.right)].substr(2));
        });
  }

  [[nodiscard]] const std::vector<std::string>& tokens() const { return tokens_; }

 private:
  // Adds each character, then "##" and each one inside words, both in Unicode order.
  Result<void> learn_alphabet(const std::vector<std::pair<std::u32string, std::int64_t>>& words) {
    std::unordered_map<char32_t, std::int64_t> counts;
    for (const auto& [word, count] : words) {
      for (const char32_t c : word) counts[c] += count;
    }
    std::vector<std::pair<std::int64_t, char32_t>> by_count;
    for (const auto& [c, count] : counts) by_count.emplace_back(-count, c);
    std::sort(by_count.begin(), by_count.end());
    if (static_cast<std::int64_t>(by_count.size()) > options_.most_characters) {
      by_count.resize(static_cast<std::size_t>(options_.most_characters));
    }
    std::set<char32_t> alone;
    for (const auto& [negative_count, c] : by_count) alone.insert(c);
    std::set<char32_t> within;
    for (const auto& [word, count] : words) {
      if (is_spelt_in(alone, word)) within.insert(word.begin() + 1, word.end());
    }
    for (const char32_t c : alone) token_of(piece_of(c, false));
    for (const char32_t c : within) token_of(piece_of(c, true));
    if (static_cast<std::int64_t>(tokens_.size()) <= options_.size) return {};
    return Error{ErrorCode::usage,
                 fmt::format("a vocabulary of {} tokens cannot hold the text's {} characters; use "
                             "at least {}",
                             options_.size, alone.size(), tokens_.size())};
  }

  static bool is_spelt_in(const std::set<char32_t>& alphabet, const std::u32string& word) {
    return std::all_of(word.begin(), word.end(),
                       [&alphabet](char32_t c) { return alphabet.contains(c); });
  }

  // Skips a word with a character that has no token: it would be unknown anyway.
  void add_word(const std::u32string& characters, std::int64_t count) {
    std::vector<Token> word;
    for (const char32_t c : characters) {
      const auto at = numbers_.find(piece_of(c, !word.empty()));
      if (at == numbers_.end()) return;
      word.push_back(at->second);
    }
    joiner_.add(std::move(word), count);
  }

  // Returns the token's number and adds the token if it is new.
  Token token_of(const std::string& token) {
    const auto [at, added] = numbers_.emplace(token, static_cast<Token>(tokens_.size()));
    if (added) tokens_.push_back(token);
    return at->second;
  }

  LearnOptions options_;
  std::vector<std::string> tokens_;
  std::unordered_map<std::string, Token> numbers_;
  PairJoiner joiner_;
};

}  // namespace

Result<PieceVocabulary> learn_pieces(const WordCounts& words, const LearnOptions& options) {
  PieceLearner learner(options);
  TACHO_CHECK(learner.read(words));
  learner.join();
  return PieceVocabulary::parse(fmt::format("{}\n", fmt::join(learner.tokens(), "\n")));
}

}  // namespace tacho
