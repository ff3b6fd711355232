#include "training/text/words.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "training/text/unicode.h"
#include "training/text/utf8.h"

namespace tacho {
namespace {

enum class AsciiKind : std::uint8_t { other, space, punctuation, letter, capital };

// `other`: control characters and bytes outside ASCII. ASCII symbols, like $ and ^, count as
// punctuation too.
constexpr std::array<AsciiKind, 256> kAsciiKinds = [] {
  std::array<AsciiKind, 256> kinds{};
  for (int c = '!'; c <= '~'; ++c) kinds[static_cast<std::size_t>(c)] = AsciiKind::punctuation;
  for (int c = '0'; c <= '9'; ++c) kinds[static_cast<std::size_t>(c)] = AsciiKind::letter;
  for (int c = 'a'; c <= 'z'; ++c) kinds[static_cast<std::size_t>(c)] = AsciiKind::letter;
  for (int c = 'A'; c <= 'Z'; ++c) kinds[static_cast<std::size_t>(c)] = AsciiKind::capital;
  for (const unsigned char c : {' ', '\t', '\n', '\r'}) {
    kinds[c] = AsciiKind::space;
  }
  return kinds;
}();

AsciiKind kind_of(char c) { return kAsciiKinds[static_cast<unsigned char>(c)]; }

bool splits_words(char32_t c) {
  return c < 0x80 ? kAsciiKinds[c] == AsciiKind::punctuation : is_punctuation(c);
}

struct FoundSpecial {
  std::size_t at;
  SpecialToken token;
};

std::optional<FoundSpecial> find_special(std::string_view text) {
  for (std::size_t at = text.find('['); at != std::string_view::npos; at = text.find('[', at + 1)) {
    for (std::size_t i = 0; i < kSpecialTokens.size(); ++i) {
      if (text.substr(at).starts_with(kSpecialTokens[i])) {
        return FoundSpecial{at, static_cast<SpecialToken>(i)};
      }
    }
  }
  return std::nullopt;
}

// Returns the special token that `text` equals.
std::optional<SpecialToken> as_special(const std::u32string& text) {
  for (std::size_t i = 0; i < kSpecialTokens.size(); ++i) {
    if (std::equal(text.begin(), text.end(), kSpecialTokens[i].begin(), kSpecialTokens[i].end())) {
      return static_cast<SpecialToken>(i);
    }
  }
  return std::nullopt;
}

// Splits text without special tokens. Each function returns whether the sink wants more.
class PlainText {
 public:
  PlainText(std::string_view text, WordSink& sink) : text_(text), sink_(sink) {}

  bool split() {
    while (at_ < text_.size()) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && kind_of(text_[at_]) >= AsciiKind::punctuation) ++at_;
      const bool ascii = at_ == text_.size() || kind_of(text_[at_]) == AsciiKind::space;
      if (!ascii) at_ = begin;
      if (!(ascii ? ascii_chunk(text_.substr(begin, at_ - begin)) : other_chunk())) return false;
      if (at_ < text_.size() && kind_of(text_[at_]) == AsciiKind::space) ++at_;
    }
    return true;
  }

 private:
  // The common case for English: each character is independent of its neighbours.
  bool ascii_chunk(std::string_view chunk) {
    for (const char c : chunk) {
      const AsciiKind kind = kind_of(c);
      if (kind != AsciiKind::punctuation) {
        word_.push_back(static_cast<char>(kind == AsciiKind::capital ? c - 'A' + 'a' : c));
        ++characters_;
      } else if (!flush() || !sink_.word({&c, 1}, 1)) {
        return false;
      }
    }
    return flush();
  }

  // Processes from at_ to the next whitespace or past the next ideograph.
  bool other_chunk() {
    chunk_.clear();
    while (at_ < text_.size()) {
      const auto [c, bytes] = first_character(text_.substr(at_));
      if (is_whitespace(c)) {
        at_ += c < 0x80 ? 0 : bytes;
        break;
      }
      at_ += bytes;
      if (c == kReplacementCharacter || is_control(c)) continue;
      if (is_ideograph(c)) {
        if (!words_of_chunk()) return false;
        chunk_ = c;
        break;
      }
      chunk_.push_back(c);
    }
    return words_of_chunk();
  }

  // BERT's own tokenizer composes first (form C), lowers, then decomposes. The result is the same:
  // letters lower alike in both forms, their marks are dropped anyway, and special tokens are
  // ASCII.
  bool words_of_chunk() {
    if (chunk_.empty()) return true;
    decompose(chunk_);
    if (const auto token = as_special(chunk_)) return sink_.special(*token);
    lower_case(chunk_);
    for (const char32_t c : chunk_) {
      if (is_mark(c)) continue;
      const bool separate = splits_words(c);
      if (separate && !flush()) return false;
      append_utf8(word_, c);
      ++characters_;
      if (separate && !flush()) return false;
    }
    return flush();
  }

  // Passes the word to the sink, if there is one.
  bool flush() {
    if (characters_ == 0) return true;
    const bool more = sink_.word(word_, characters_);
    word_.clear();
    characters_ = 0;
    return more;
  }

  std::string_view text_;
  WordSink& sink_;
  std::size_t at_ = 0;
  std::u32string chunk_;
  std::string word_;
  std::size_t characters_ = 0;
};

}  // namespace

void split_words(std::string_view text, WordSink& sink) {
  while (!text.empty()) {
    const auto found = find_special(text);
    if (!PlainText(text.substr(0, found ? found->at : text.size()), sink).split()) return;
    if (!found || !sink.special(found->token)) return;
    text.remove_prefix(found->at + name_of(found->token).size());
  }
}

}  // namespace tacho
