#include "training/text/byte_pairs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <queue>

namespace tacho {
namespace {

using Token = BytePairs::Token;

constexpr std::array<std::string_view, 4> kEndsOfText = {"<|endoftext|>", "<|end_of_text|>",
                                                         "<|eot_id|>", "</s>"};

Error invalid(std::string message) { return {ErrorCode::invalid, std::move(message)}; }

// The tokens of a piece while its pairs are joined: a linked list in two arrays.
class Joining {
 public:
  explicit Joining(std::vector<Token> tokens) : tokens_(std::move(tokens)) {
    const auto count = static_cast<std::int32_t>(tokens_.size());
    for (std::int32_t i = 0; i < count; ++i) {
      next_.push_back(i + 1 < count ? i + 1 : -1);
      previous_.push_back(i - 1);
    }
  }

  template <class MergeOf>
  void join_all(const MergeOf& merge_of) {
    for (std::int32_t i = 0; i >= 0; i = next_[index(i)]) queue(i, merge_of);
    while (!queue_.empty()) {
      const Step step = queue_.top();
      queue_.pop();
      const std::int32_t right = next_[index(step.at)];
      // Joined meanwhile with another neighbour.
      if (right < 0 || tokens_[index(step.at)] != step.pair.left ||
          tokens_[index(right)] != step.pair.right) {
        continue;
      }
      tokens_[index(step.at)] = step.joined;
      tokens_[index(right)] = -1;
      next_[index(step.at)] = next_[index(right)];
      if (const std::int32_t after = next_[index(right)]; after >= 0) {
        previous_[index(after)] = step.at;
      }
      queue(step.at, merge_of);
      if (previous_[index(step.at)] >= 0) queue(previous_[index(step.at)], merge_of);
    }
  }

  void append_to(std::vector<Token>& out) const {
    for (std::int32_t i = 0; i >= 0; i = next_[index(i)]) out.push_back(tokens_[index(i)]);
  }

 private:
  struct Step {
    std::int32_t rank;
    std::int32_t at;  // of the left token
    TokenPair pair;
    Token joined;
    // The top is the pair learned first; the leftmost of equal ones.
    bool operator<(const Step& other) const {
      return rank != other.rank ? rank > other.rank : at > other.at;
    }
  };
  static std::size_t index(std::int32_t at) { return static_cast<std::size_t>(at); }

  template <class MergeOf>
  void queue(std::int32_t at, const MergeOf& merge_of) {
    const std::int32_t right = next_[index(at)];
    if (right < 0) return;
    const TokenPair pair{tokens_[index(at)], tokens_[index(right)]};
    if (const auto* merge = merge_of(pair.left, pair.right)) {
      queue_.push({merge->rank, at, pair, merge->joined});
    }
  }

  std::vector<Token> tokens_;
  std::vector<std::int32_t> next_;
  std::vector<std::int32_t> previous_;
  std::priority_queue<Step> queue_;
};

}  // namespace

Result<BytePairs> BytePairs::of(Parts parts) {
  if (parts.tokens.size() > std::numeric_limits<Token>::max()) return invalid("too many tokens");
  BytePairs made(std::move(parts));
  TACHO_CHECK(made.index());
  return made;
}

Result<void> BytePairs::index() {
  std::unordered_map<std::string_view, Token> numbers;
  for (std::size_t i = 0; i < parts_.tokens.size(); ++i) {
    if (parts_.tokens[i].empty()) continue;
    const auto [at, added] = numbers.emplace(parts_.tokens[i], static_cast<Token>(i));
    if (!added) return invalid(fmt::format("tokens {} and {} are equal", at->second, i));
  }
  for (int byte = 0; byte < 256; ++byte) {
    const char text = static_cast<char>(byte);
    const auto at = numbers.find({&text, 1});
    if (at == numbers.end()) return invalid(fmt::format("byte {} has no token", byte));
    bytes_[static_cast<std::size_t>(byte)] = at->second;
  }
  const auto known = [this](Token token) {
    return token >= 0 && static_cast<std::size_t>(token) < parts_.tokens.size();
  };
  std::string joined;
  for (std::size_t i = 0; i < parts_.merges.size(); ++i) {
    const TokenPair pair = parts_.merges[i];
    if (!known(pair.left) || !known(pair.right)) return invalid("a merge of unknown tokens");
    joined = parts_.tokens[static_cast<std::size_t>(pair.left)] +
             parts_.tokens[static_cast<std::size_t>(pair.right)];
    const auto at = numbers.find(joined);
    if (at == numbers.end()) {
      return invalid(fmt::format("merge {} makes no token of the vocabulary", i + 1));
    }
    merges_.emplace(pair, Merge{static_cast<std::int32_t>(i), at->second});
  }
  std::erase_if(parts_.specials, [](const Special& special) { return special.text.empty(); });
  // Of two that begin at the same place, the longer one counts.
  std::ranges::stable_sort(parts_.specials, [](const Special& a, const Special& b) {
    return a.text.size() > b.text.size();
  });
  for (const Special& special : parts_.specials) {
    if (!known(special.token)) return invalid("a special token outside the vocabulary");
  }
  for (const std::string_view end : kEndsOfText) {
    const auto at = std::ranges::find(parts_.specials, end, &Special::text);
    if (at == parts_.specials.end()) continue;
    end_of_text_ = at->token;
    break;
  }
  if (parts_.keeps_words) words_ = std::move(numbers);
  return {};
}

const BytePairs::Merge* BytePairs::merge_of(Token left, Token right) const {
  const auto at = merges_.find({left, right});
  return at == merges_.end() ? nullptr : &at->second;
}

void BytePairs::encode_piece(std::string_view piece, std::vector<Token>& out) const {
  if (const auto word = words_.find(piece); word != words_.end()) {
    out.push_back(word->second);
    return;
  }
  std::vector<Token> tokens;
  tokens.reserve(piece.size());
  for (const char byte : piece) tokens.push_back(bytes_[static_cast<unsigned char>(byte)]);
  if (tokens.size() < 2) {
    out.insert(out.end(), tokens.begin(), tokens.end());
    return;
  }
  Joining joining(std::move(tokens));
  joining.join_all([this](Token left, Token right) { return merge_of(left, right); });
  joining.append_to(out);
}

void BytePairs::encode_plain(std::string_view text, std::vector<Token>& out) const {
  while (!text.empty()) {
    const std::size_t bytes = first_piece(text, parts_.rule);
    encode_piece(text.substr(0, bytes), out);
    text.remove_prefix(bytes);
  }
}

std::vector<Token> BytePairs::encode(std::string_view text) const {
  std::vector<Token> out;
  std::size_t begin = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto found = std::ranges::find_if(parts_.specials, [&](const Special& special) {
      return text[at] == special.text[0] && text.substr(at).starts_with(special.text);
    });
    if (found == parts_.specials.end()) {
      ++at;
      continue;
    }
    encode_plain(text.substr(begin, at - begin), out);
    out.push_back(found->token);
    begin = at += found->text.size();
  }
  encode_plain(text.substr(begin), out);
  return out;
}

std::string BytePairs::decode(std::span<const Token> tokens) const {
  std::string text;
  for (const Token token : tokens) {
    if (token < 0 || static_cast<std::size_t>(token) >= parts_.tokens.size()) continue;
    const std::string& bytes = parts_.tokens[static_cast<std::size_t>(token)];
    if (!bytes.empty()) {
      text += bytes;
      continue;
    }
    const auto special = std::ranges::find(parts_.specials, token, &Special::token);
    if (special != parts_.specials.end()) text += special->text;
  }
  return text;
}

void PieceCounts::add(std::string_view text, PieceRule rule) {
  while (!text.empty()) {
    const std::size_t bytes = first_piece(text, rule);
    ++counts[std::string(text.substr(0, bytes))];
    text.remove_prefix(bytes);
  }
}

Result<BytePairs> learn_byte_pairs(const PieceCounts& pieces, std::int64_t size) {
  constexpr std::int64_t kLeast = 257;
  if (size < kLeast) {
    return Error{
        ErrorCode::usage,
        fmt::format("a byte-level vocabulary has at least {} tokens, not {}", kLeast, size)};
  }
  BytePairs::Parts parts;
  std::unordered_map<std::string, Token> numbers;
  const auto number_of = [&](const std::string& bytes) {
    const auto [at, added] = numbers.emplace(bytes, static_cast<Token>(parts.tokens.size()));
    if (added) parts.tokens.push_back(bytes);
    return at->second;
  };
  parts.specials = {{0, std::string(kEndsOfText[0])}};
  parts.tokens.emplace_back();
  for (int byte = 0; byte < 256; ++byte) number_of(std::string(1, static_cast<char>(byte)));
  PairJoiner joiner;
  for (const auto& [piece, count] : pieces.counts) {
    std::vector<Token> word;
    for (const char byte : piece) word.push_back(static_cast<unsigned char>(byte) + 1);
    joiner.add(std::move(word), count);
  }
  joiner.join(
      2, [&] { return static_cast<std::int64_t>(parts.tokens.size()) < size; },
      [&](TokenPair pair) {
        parts.merges.push_back(pair);
        return number_of(parts.tokens[static_cast<std::size_t>(pair.left)] +
                         parts.tokens[static_cast<std::size_t>(pair.right)]);
      });
  return BytePairs::of(std::move(parts));
}

}  // namespace tacho
