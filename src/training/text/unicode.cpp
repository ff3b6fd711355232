#include "training/text/unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "base/result.h"

namespace tacho {
namespace {

constexpr char32_t kCapitalSigma = 0x3A3;
constexpr char32_t kSmallSigma = 0x3C3;
constexpr char32_t kFinalSigma = 0x3C2;
// The longest full canonical decomposition of a character (Unicode's stability policy).
constexpr std::size_t kLongestDecomposition = 18;

struct Range {
  char32_t first;
  char32_t last;
};

template <std::size_t N>
bool is_in(const std::array<Range, N>& ranges, char32_t c) {
  return std::any_of(ranges.begin(), ranges.end(),
                     [c](Range range) { return c >= range.first && c <= range.last; });
}

constexpr std::array<Range, 8> kIdeographs = {{{0x3400, 0x4DBF},
                                               {0x4E00, 0x9FFF},
                                               {0xF900, 0xFAFF},
                                               {0x20000, 0x2A6DF},
                                               {0x2A700, 0x2B73F},
                                               {0x2B740, 0x2B81F},
                                               {0x2B820, 0x2CEAF},
                                               {0x2F800, 0x2FA1F}}};

// Letters in all but their category: ª º, Roman numerals, circled and squared letters.
constexpr std::array<Range, 7> kCasedSymbols = {{{0xAA, 0xAA},
                                                 {0xBA, 0xBA},
                                                 {0x2160, 0x217F},
                                                 {0x24B6, 0x24E9},
                                                 {0x1F130, 0x1F149},
                                                 {0x1F150, 0x1F169},
                                                 {0x1F170, 0x1F189}}};

// Punctuation that may occur inside a word: ' . : · and similar characters.
constexpr std::array<char32_t, 17> kWithinWords = {0x27,   0x2E,   0x3A,   0xB7,   0x387,  0x55F,
                                                   0x5F4,  0x2018, 0x2019, 0x2024, 0x2027, 0xFE13,
                                                   0xFE52, 0xFE55, 0xFF07, 0xFF0E, 0xFF1A};

utf8proc_category_t category(char32_t c) {
  return utf8proc_category(static_cast<utf8proc_int32_t>(c));
}

int combining_class(char32_t c) {
  return utf8proc_get_property(static_cast<utf8proc_int32_t>(c))->combining_class;
}

// Case_Ignorable in the Unicode standard.
bool is_case_ignorable(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_ME:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_SK:
      return true;
    default:
      return std::find(kWithinWords.begin(), kWithinWords.end(), c) != kWithinWords.end();
  }
}

// Cased in the Unicode standard, for a character that is not case-ignorable.
bool is_cased(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
      return true;
    default:
      return is_in(kCasedSymbols, c);
  }
}

// Returns true if the first character in [begin, end) that is not case-ignorable is cased.
template <class Iterator>
bool meets_cased(Iterator begin, Iterator end) {
  const auto at = std::find_if_not(begin, end, is_case_ignorable);
  return at != end && is_cased(*at);
}

// Sorts the marks after each base character by combining class, as the normal form requires.
void order_marks(std::u32string& text) {
  const auto is_base = [](char32_t c) { return combining_class(c) == 0; };
  const auto by_class = [](char32_t a, char32_t b) {
    return combining_class(a) < combining_class(b);
  };
  for (auto at = text.begin(); at != text.end();) {
    const auto marks = std::find_if_not(at, text.end(), is_base);
    at = std::find_if(marks, text.end(), is_base);
    if (at - marks > 1) std::stable_sort(marks, at, by_class);
  }
}

}  // namespace

bool is_control(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_CN:
    case UTF8PROC_CATEGORY_CC:
    case UTF8PROC_CATEGORY_CF:
    case UTF8PROC_CATEGORY_CS:
    case UTF8PROC_CATEGORY_CO:
      return true;
    default:
      return false;
  }
}

bool is_whitespace(char32_t c) {
  switch (category(c)) {
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
      return true;
    default:
      return c == '\t' || c == '\n' || c == '\r';
  }
}

bool is_punctuation(char32_t c) {
  const utf8proc_category_t is = category(c);
  return is >= UTF8PROC_CATEGORY_PC && is <= UTF8PROC_CATEGORY_PO;
}

bool is_mark(char32_t c) { return category(c) == UTF8PROC_CATEGORY_MN; }

bool is_letter(char32_t c) {
  const utf8proc_category_t is = category(c);
  return is >= UTF8PROC_CATEGORY_LU && is <= UTF8PROC_CATEGORY_LO;
}

bool is_number(char32_t c) {
  const utf8proc_category_t is = category(c);
  return is >= UTF8PROC_CATEGORY_ND && is <= UTF8PROC_CATEGORY_NO;
}

bool is_space(char32_t c) { return is_whitespace(c) || c == 0x0B || c == 0x0C || c == 0x85; }

bool is_ideograph(char32_t c) { return c >= kIdeographs[0].first && is_in(kIdeographs, c); }

void decompose(std::u32string& text) {
  std::u32string out;
  out.reserve(text.size() * 2);
  std::array<utf8proc_int32_t, kLongestDecomposition> parts{};
  int ignored = 0;
  for (const char32_t c : text) {
    const auto count = utf8proc_decompose_char(
        static_cast<utf8proc_int32_t>(c), parts.data(), parts.size(),
        static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_DECOMPOSE), &ignored);
    if (count < 1 || count > static_cast<utf8proc_ssize_t>(parts.size())) {
      broken_invariant("utf8proc_decompose_char");
    }
    out.append(parts.begin(), parts.begin() + count);
  }
  order_marks(out);
  text = std::move(out);
}

void lower_case(std::u32string& text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != kCapitalSigma) continue;
    const auto at = text.begin() + static_cast<std::ptrdiff_t>(i);
    const bool ends_a_word = meets_cased(std::make_reverse_iterator(at), text.rend()) &&
                             !meets_cased(at + 1, text.end());
    text[i] = ends_a_word ? kFinalSigma : kSmallSigma;
  }
  for (char32_t& c : text) {
    c = static_cast<char32_t>(utf8proc_tolower(static_cast<utf8proc_int32_t>(c)));
  }
}

}  // namespace tacho
