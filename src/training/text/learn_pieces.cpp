#include "training/text/learn_pieces.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <queue>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "training/text/utf8.h"

namespace tacho {
namespace {

using Token = std::int32_t;

struct Pair {
  Token left;
  Token right;
  auto operator<=>(const Pair&) const = default;
};

struct PairHash {
  std::size_t operator()(Pair pair) const {
    const auto both =
        static_cast<std::uint64_t>(pair.left) << 32U | static_cast<std::uint32_t>(pair.right);
    return both * 0x9E3779B97F4A7C15U >> 20U;
  }
};

struct Word {
  std::vector<Token> tokens;
  std::int64_t count;
};

struct Occurrences {
  std::int64_t count = 0;
  std::vector<std::size_t> words;  // that contain the pair, or did once; may repeat
};

// A pair with its count at the time it was queued.
struct Candidate {
  std::int64_t count;
  Pair pair;
  // The most frequent pair is the greatest; the first one among equals.
  bool operator<(const Candidate& other) const {
    return count != other.count ? count < other.count : pair > other.pair;
  }
};

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
    for (const auto& [pair, occurrences] : pairs_) queue_.push({occurrences.count, pair});
    while (static_cast<std::int64_t>(tokens_.size()) < options_.size && !queue_.empty()) {
      const Candidate best = queue_.top();
      queue_.pop();
      const std::int64_t count = pairs_[best.pair].count;
      if (best.count < options_.min_count) break;
      if (best.count == count) join(best.pair);
      // If the count has grown since, the pair was queued again.
      if (best.count > count && count > 0) queue_.push({count, best.pair});
    }
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
    Word word{{}, count};
    for (const char32_t c : characters) {
      const auto at = numbers_.find(piece_of(c, !word.tokens.empty()));
      if (at == numbers_.end()) return;
      word.tokens.push_back(at->second);
    }
    words_.push_back(std::move(word));
    count_pairs(words_.size() - 1, 1);
  }

  // Adds a word's pairs to the counts, or subtracts them with a factor of -1.
  void count_pairs(std::size_t index, std::int64_t factor) {
    const Word& word = words_[index];
    for (std::size_t i = 0; i + 1 < word.tokens.size(); ++i) {
      Occurrences& pair = pairs_[{word.tokens[i], word.tokens[i + 1]}];
      pair.count += factor * word.count;
      if (factor > 0) pair.words.push_back(index);
    }
  }

  void join(Pair pair) {
    const Token joined = token_of(tokens_[static_cast<std::size_t>(pair.left)] +
                                  tokens_[static_cast<std::size_t>(pair.right)].substr(2));
    const std::vector<std::size_t> where = std::move(pairs_[pair].words);
    std::set<Pair> grown;
    for (const std::size_t index : where) {
      if (!holds(words_[index].tokens, pair)) continue;
      count_pairs(index, -1);
      replace(words_[index].tokens, pair, joined);
      count_pairs(index, 1);
      const std::vector<Token>& tokens = words_[index].tokens;
      for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        if (tokens[i] == joined || tokens[i + 1] == joined)
          grown.insert({tokens[i], tokens[i + 1]});
      }
    }
    for (const Pair neighbours : grown) queue_.push({pairs_[neighbours].count, neighbours});
  }

  static bool holds(const std::vector<Token>& tokens, Pair pair) {
    return std::adjacent_find(tokens.begin(), tokens.end(), [pair](Token left, Token right) {
             return Pair{left, right} == pair;
           }) != tokens.end();
  }

  static void replace(std::vector<Token>& tokens, Pair pair, Token joined) {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
      const bool here =
          i + 1 < tokens.size() && tokens[i] == pair.left && tokens[i + 1] == pair.right;
      tokens[kept++] = here ? joined : tokens[i];
      if (here) ++i;
    }
    tokens.resize(kept);
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
  std::vector<Word> words_;
  std::unordered_map<Pair, Occurrences, PairHash> pairs_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace

Result<PieceVocabulary> learn_pieces(const WordCounts& words, const LearnOptions& options) {
  PieceLearner learner(options);
  TACHO_CHECK(learner.read(words));
  learner.join();
  return PieceVocabulary::parse(fmt::format("{}\n", fmt::join(learner.tokens(), "\n")));
}

}  // namespace tacho
