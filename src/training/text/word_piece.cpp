#include "training/text/word_piece.h"

#include <algorithm>

#include "training/text/words.h"

namespace tacho {
namespace {

class Pieces final : public WordSink {
 public:
  Pieces(const PieceVocabulary& vocabulary, const PieceTrie& trie, std::size_t most)
      : vocabulary_(vocabulary), trie_(trie), most_(most) {}

  bool word(std::string_view word, std::size_t characters) override {
    const std::size_t before = tokens_.size();
    if (characters > kLongestWord || !take_pieces(word)) {
      tokens_.resize(before);
      return special(SpecialToken::unknown);
    }
    return tokens_.size() < most_;
  }

  bool special(SpecialToken token) override {
    tokens_.push_back(vocabulary_.special(token));
    return tokens_.size() < most_;
  }

  // Returns the first `most` of them.
  std::vector<std::int32_t> take() {
    tokens_.resize(std::min(tokens_.size(), most_));
    return std::move(tokens_);
  }

 private:
  bool take_pieces(std::string_view word) {
    for (bool continuing = false; !word.empty(); continuing = true) {
      const PieceTrie::Match match = trie_.longest(word, continuing);
      if (match.token < 0) return false;
      tokens_.push_back(match.token);
      word.remove_prefix(match.bytes);
    }
    return true;
  }

  const PieceVocabulary& vocabulary_;
  const PieceTrie& trie_;
  std::size_t most_;
  std::vector<std::int32_t> tokens_;
};

}  // namespace

std::vector<std::int32_t> WordPiece::tokens(std::string_view text, std::int64_t most) const {
  if (most < 2) broken_invariant("no room for [CLS] and [SEP]");
  Pieces pieces(vocabulary_, trie_, static_cast<std::size_t>(most - 1));
  if (pieces.special(SpecialToken::begin)) split_words(text, pieces);
  std::vector<std::int32_t> tokens = pieces.take();
  tokens.push_back(vocabulary_.special(SpecialToken::end));
  return tokens;
}

}  // namespace tacho
