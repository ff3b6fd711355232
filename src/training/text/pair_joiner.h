#pragma once

#include <compare>
#include <cstdint>
#include <functional>
#include <queue>
#include <unordered_map>
#include <vector>

namespace tacho {

struct TokenPair {
  std::int32_t left;
  std::int32_t right;
  auto operator<=>(const TokenPair&) const = default;
};

struct TokenPairHash {
  std::size_t operator()(TokenPair pair) const {
    const auto both =
        static_cast<std::uint64_t>(pair.left) << 32U | static_cast<std::uint32_t>(pair.right);
    return both * 0x9E3779B97F4A7C15U >> 20U;
  }
};

// Repeatedly joins the two neighbouring tokens of counted words that occur together most often:
// what the trainers of WordPiece and byte-level BPE share. Ties are resolved in token order, so the
// same words give the same joins on every machine.
class PairJoiner {
 public:
  using Token = std::int32_t;

  void add(std::vector<Token> word, std::int64_t count);

  // `wants_more` is asked before each join. `token_of` returns the token that a pair becomes. Pairs
  // that occur less than `min_count` times are not joined.
  void join(std::int64_t min_count, const std::function<bool()>& wants_more,
            const std::function<Token(TokenPair)>& token_of);

 private:
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
    TokenPair pair;
    // The most frequent pair is the greatest; the first one among equals.
    bool operator<(const Candidate& other) const {
      return count != other.count ? count < other.count : pair > other.pair;
    }
  };

  void count_pairs(std::size_t index, std::int64_t factor);
  void join(TokenPair pair, Token joined);

  std::vector<Word> words_;
  std::unordered_map<TokenPair, Occurrences, TokenPairHash> pairs_;
  std::priority_queue<Candidate> queue_;
};

}  // namespace tacho
