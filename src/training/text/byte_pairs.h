#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/json_object.h"
#include "base/result.h"
#include "training/text/pair_joiner.h"
#include "training/text/piece_rule.h"

namespace tacho {

// A byte-level BPE tokenizer, as of GPT-2 and Llama 3: a text is split into pieces, and within each
// the pair of tokens that was learned first is joined, again and again. Encodes any bytes.
class BytePairs {
 public:
  using Token = std::int32_t;
  struct Special {
    Token token;
    std::string text;
    bool operator==(const Special&) const = default;
  };
  struct Parts {
    PieceRule rule = PieceRule::gpt2;
    std::vector<std::string> tokens;  // their bytes, by number; "" for those that are special
    std::vector<TokenPair> merges;    // in the order in which they were learned
    std::vector<Special> specials;    // recognised in a text before anything else
    bool keeps_words = false;         // a piece that is a token is not split ("ignore_merges")
  };

  // Fails if a byte has no token, or if a merge does not make a token.
  static Result<BytePairs> of(Parts parts);
  // Reads the content of a tokenizer.json of Hugging Face's tokenizers.
  static Result<BytePairs> of_tokenizer(const Json& json);
  // Reads the contents of GPT-2's vocab.json and merges.txt.
  static Result<BytePairs> of_vocabulary(std::string_view vocabulary, std::string_view merges);

  [[nodiscard]] std::int64_t size() const {
    return static_cast<std::int64_t>(parts_.tokens.size());
  }
  [[nodiscard]] std::vector<Token> encode(std::string_view text) const;
  // Unknown numbers give nothing.
  [[nodiscard]] std::string decode(std::span<const Token> tokens) const;
  // Separates documents: <|endoftext|>, <|end_of_text|>, <|eot_id|> or </s>.
  [[nodiscard]] std::optional<Token> end_of_text() const { return end_of_text_; }

  // The tokenizer.json; of_tokenizer() returns the same.
  [[nodiscard]] Json to_json() const;

 private:
  struct Merge {
    std::int32_t rank;
    Token joined;
  };

  explicit BytePairs(Parts parts) : parts_(std::move(parts)) {}
  Result<void> index();
  void encode_piece(std::string_view piece, std::vector<Token>& out) const;
  void encode_plain(std::string_view text, std::vector<Token>& out) const;
  [[nodiscard]] const Merge* merge_of(Token left, Token right) const;

  Parts parts_;
  std::unordered_map<TokenPair, Merge, TokenPairHash> merges_;
  std::unordered_map<std::string_view, Token> words_;  // only if keeps_words
  std::array<Token, 256> bytes_{};
  std::optional<Token> end_of_text_;
};

struct PieceCounts {
  std::unordered_map<std::string, std::int64_t> counts;
  void add(std::string_view text, PieceRule rule);
};

// Learns `size` tokens, or fewer if no pair occurs twice any more: 256 bytes, <|endoftext|> and
// joins, like ByteLevelBPETokenizer.train() of the tokenizers library.
Result<BytePairs> learn_byte_pairs(const PieceCounts& pieces, std::int64_t size);

}  // namespace tacho
