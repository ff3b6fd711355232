#include "training/text/pair_joiner.h"

#include <algorithm>
#include <set>
#include <span>
#include <utility>

namespace tacho {
namespace {

using Token = PairJoiner::Token;

bool holds(std::span<const Token> tokens, TokenPair pair) {
  return std::adjacent_find(tokens.begin(), tokens.end(), [pair](Token left, Token right) {
           return TokenPair{left, right} == pair;
         }) != tokens.end();
}

void replace(std::vector<Token>& tokens, TokenPair pair, Token joined) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const bool here =
        i + 1 < tokens.size() && tokens[i] == pair.left && tokens[i + 1] == pair.right;
    tokens[kept++] = here ? joined : tokens[i];
    if (here) ++i;
  }
  tokens.resize(kept);
}

}  // namespace

void PairJoiner::add(std::vector<Token> word, std::int64_t count) {
  words_.push_back({std::move(word), count});
  count_pairs(words_.size() - 1, 1);
}

void PairJoiner::join(std::int64_t min_count, const std::function<bool()>& wants_more,
                      const std::function<Token(TokenPair)>& token_of) {
  for (const auto& [pair, occurrences] : pairs_) queue_.push({occurrences.count, pair});
  while (!queue_.empty() && wants_more()) {
    const Candidate best = queue_.top();
    queue_.pop();
    const std::int64_t count = pairs_[best.pair].count;
    if (best.count < min_count) break;
    if (best.count == count) join(best.pair, token_of(best.pair));
    // If the count has grown since, the pair was queued again.
    if (best.count > count && count > 0) queue_.push({count, best.pair});
  }
}

// Adds a word's pairs to the counts, or subtracts them with a factor of -1.
void PairJoiner::count_pairs(std::size_t index, std::int64_t factor) {
  const Word& word = words_[index];
  for (std::size_t i = 0; i + 1 < word.tokens.size(); ++i) {
    Occurrences& pair = pairs_[{word.tokens[i], word.tokens[i + 1]}];
    pair.count += factor * word.count;
    if (factor > 0) pair.words.push_back(index);
  }
}

void PairJoiner::join(TokenPair pair, Token joined) {
  const std::vector<std::size_t> where = std::move(pairs_[pair].words);
  std::set<TokenPair> grown;
  for (const std::size_t index : where) {
    std::vector<Token>& tokens = words_[index].tokens;
    if (!holds(tokens, pair)) continue;
    count_pairs(index, -1);
    replace(tokens, pair, joined);
    count_pairs(index, 1);
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
      if (tokens[i] == joined || tokens[i + 1] == joined) grown.insert({tokens[i], tokens[i + 1]});
    }
  }
  for (const TokenPair neighbours : grown) queue_.push({pairs_[neighbours].count, neighbours});
}

}  // namespace tacho
