#include "training/text/piece_rule.h"

#include <array>
#include <cstdint>
#include <limits>

#include "training/text/unicode.h"
#include "training/text/utf8.h"

namespace tacho {
namespace {

enum class Kind : std::uint8_t { letter, number, line_end, space, symbol };

struct Character {
  Kind kind;
  char32_t code_point;
  std::size_t bytes;
};

Kind kind_of(char32_t c) {
  if (c == '\r' || c == '\n') return Kind::line_end;
  if (is_space(c)) return Kind::space;
  if (is_letter(c)) return Kind::letter;
  return is_number(c) ? Kind::number : Kind::symbol;
}

// ASCII by table: looking up a code point's category is slow.
constexpr std::array<Kind, 128> kAscii = [] {
  std::array<Kind, 128> kinds{};
  kinds.fill(Kind::symbol);
  for (int c = '0'; c <= '9'; ++c) kinds[static_cast<std::size_t>(c)] = Kind::number;
  for (int c = 'a'; c <= 'z'; ++c) kinds[static_cast<std::size_t>(c)] = Kind::letter;
  for (int c = 'A'; c <= 'Z'; ++c) kinds[static_cast<std::size_t>(c)] = Kind::letter;
  for (const unsigned char c : {' ', '\t', '\v', '\f'}) kinds[c] = Kind::space;
  for (const unsigned char c : {'\r', '\n'}) kinds[c] = Kind::line_end;
  return kinds;
}();

class Splitter {
 public:
  Splitter(std::string_view text, PieceRule rule) : text_(text), rule_(rule) {}

  [[nodiscard]] std::size_t first() const {
    if (const std::size_t suffix = contraction()) return suffix;
    return rule_ == PieceRule::gpt2 ? gpt2() : llama3();
  }

 private:
  [[nodiscard]] bool at_end(std::size_t at) const { return at >= text_.size(); }

  [[nodiscard]] Character at(std::size_t place) const {
    const auto byte = static_cast<unsigned char>(text_[place]);
    if (byte < 0x80) return {kAscii[byte], byte, 1};
    const auto [c, bytes] = first_character(text_.substr(place));
    return {kind_of(c), c, bytes};
  }

  // Returns the end of the characters from `place` that `belongs`, at most `most` of them.
  template <class Belongs>
  [[nodiscard]] std::size_t run(std::size_t place, const Belongs& belongs,
                                std::size_t most = std::numeric_limits<std::size_t>::max()) const {
    for (; most > 0 && !at_end(place); --most) {
      const Character c = at(place);
      if (!belongs(c.kind)) break;
      place += c.bytes;
    }
    return place;
  }
  [[nodiscard]] std::size_t run_of(
      std::size_t place, Kind kind,
      std::size_t most = std::numeric_limits<std::size_t>::max()) const {
    return run(
        place, [kind](Kind is) { return is == kind; }, most);
  }

  // 's, 't, 're, 've, 'm, 'll, 'd; from Llama 3 on in any case.
  [[nodiscard]] std::size_t contraction() const {
    if (text_[0] != '\'') return 0;
    const bool any_case = rule_ != PieceRule::gpt2;
    for (const std::string_view letters : {"s", "t", "re", "ve", "m", "ll", "d"}) {
      std::size_t place = 1;
      bool equal = true;
      for (const char letter : letters) {
        if (!(equal = !at_end(place))) break;
        const Character c = at(place);
        constexpr char32_t kLongS = 0x17F;  // its capital is S
        const bool same = c.code_point == static_cast<char32_t>(letter) ||
                          (any_case && (c.code_point == static_cast<char32_t>(letter - 'a' + 'A') ||
                                        (letter == 's' && c.code_point == kLongS)));
        if (!(equal = same)) break;
        place += c.bytes;
      }
      if (equal) return place;
    }
    return 0;
  }

  [[nodiscard]] std::size_t gpt2() const {
    const std::size_t from = text_[0] == ' ' && text_.size() > 1 ? 1 : 0;
    const Kind kind = at(from).kind;
    if (kind == Kind::letter || kind == Kind::number || kind == Kind::symbol) {
      return run_of(from, kind);
    }
    return spaces();
  }

  [[nodiscard]] std::size_t llama3() const {
    const Character first = at(0);
    const std::size_t second = first.bytes;
    if (first.kind == Kind::letter) return run_of(0, Kind::letter);
    if (first.kind == Kind::number) {
      return run_of(0, Kind::number, 3);
    }
    if (first.kind != Kind::line_end && !at_end(second) && at(second).kind == Kind::letter) {
      return run_of(second, Kind::letter);
    }
    const std::size_t from = text_[0] == ' ' ? 1 : 0;
    if (!at_end(from) && at(from).kind == Kind::symbol) {
      return run_of(run_of(from, Kind::symbol), Kind::line_end);
    }
    // White space up to its last line end.
    std::size_t lines = 0;
    for (std::size_t place = 0; !at_end(place);) {
      const Character c = at(place);
      if (c.kind != Kind::line_end && c.kind != Kind::space) break;
      place += c.bytes;
      if (c.kind == Kind::line_end) lines = place;
    }
    return lines > 0 ? lines : spaces();
  }

  // White space; its last character belongs to what follows.
  [[nodiscard]] std::size_t spaces() const {
    std::size_t last = 0;
    std::size_t place = 0;
    while (!at_end(place)) {
      const Character c = at(place);
      if (c.kind != Kind::line_end && c.kind != Kind::space) return last > 0 ? last : place;
      last = place;
      place += c.bytes;
    }
    return place;
  }

  std::string_view text_;
  PieceRule rule_;
};

}  // namespace

std::string_view expression_of(PieceRule rule) {
  switch (rule) {
    case PieceRule::gpt2:
      return "";
    case PieceRule::llama3:
      return R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
  }
  return "";
}

std::size_t first_piece(std::string_view text, PieceRule rule) {
  return Splitter(text, rule).first();
}

}  // namespace tacho
