#include "training/text/unicode.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

std::u32string decomposed(std::u32string text) {
  decompose(text);
  return text;
}

std::u32string lowered(std::u32string text) {
  lower_case(text);
  return text;
}

TEST(Unicode, RecognisesControlCharacters) {
  for (const char32_t c : {U'\0', U'\x1', U'\xB', U'\x1C', U'\x7F', U'\x85', U'\xAD', U'\x200B',
                           U'\x200D', U'\xFEFF', U'\xE000', U'\x378', U'\xFFFF', U'\x10FFFF'}) {
    EXPECT_TRUE(is_control(c)) << std::hex << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U'a', U' ', U'\xA0', U'\x2028', U'\x301', U'\x1F600'}) {
    EXPECT_FALSE(is_control(c)) << std::hex << static_cast<unsigned>(c);
  }
}

TEST(Unicode, RecognisesWhitespace) {
  for (const char32_t c : {U' ', U'\t', U'\n', U'\r', U'\xA0', U'\x1680', U'\x2003', U'\x2028',
                           U'\x2029', U'\x3000'}) {
    EXPECT_TRUE(is_whitespace(c)) << std::hex << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U'\xB', U'\x85', U'\x200B', U'a'}) EXPECT_FALSE(is_whitespace(c));
}

TEST(Unicode, DistinguishesPunctuationFromSymbols) {
  for (const char32_t c : {U'!', U'_', U'-', U'\xAB', U'\xBF', U'\x2019', U'\x3002', U'\xFF01'}) {
    EXPECT_TRUE(is_punctuation(c)) << std::hex << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U'$', U'+', U'^', U'`', U'\xA9', U'\x20AC', U'a', U'1'}) {
    EXPECT_FALSE(is_punctuation(c)) << std::hex << static_cast<unsigned>(c);
  }
}

TEST(Unicode, KnowsWhereIdeographsBeginAndEnd) {
  for (const char32_t c :
       {U'\x3400', U'\x4DBF', U'\x4E00', U'\x9FFF', U'\xF900', U'\xFAFF', U'\x20000', U'\x2A6DF',
        U'\x2A700', U'\x2CEAF', U'\x2F800', U'\x2FA1F'}) {
    EXPECT_TRUE(is_ideograph(c)) << std::hex << static_cast<unsigned>(c);
  }
  for (const char32_t c : {U'a', U'\x33FF', U'\x4DC0', U'\xA000', U'\x3042', U'\xAC00', U'\xFB00',
                           U'\x2A6E0', U'\x2CEB0', U'\x30000'}) {
    EXPECT_FALSE(is_ideograph(c)) << std::hex << static_cast<unsigned>(c);
  }
}

TEST(Decompose, DecomposesLettersAndOrdersTheirMarks) {
  EXPECT_EQ(decomposed(U"\x1E69"), U"s\x323\x307");             // ṩ
  EXPECT_EQ(decomposed(U"q\x307\x323"), U"q\x323\x307");        // by combining class
  EXPECT_EQ(decomposed(U"q\x308\x301"), U"q\x308\x301");        // equals stay
  EXPECT_EQ(decomposed(U"\xD55C"), U"\x1112\x1161\x11AB");      // Hangul
  EXPECT_EQ(decomposed(U"\xFB01\xBD"), U"\xFB01\xBD");          // no compatibility forms
  EXPECT_EQ(decomposed(U"\xF900\x212A"), U"\x8C48K");           // singletons
  EXPECT_EQ(decomposed(U"\x1D160"), U"\x1D158\x1D165\x1D16E");  // a note
}

TEST(LowerCase, UsesTheSimpleMappings) {
  EXPECT_EQ(lowered(U"AZ \xC0\x178 \x1E9E\xDF"), U"az \xE0\xFF \xDF\xDF");
  EXPECT_EQ(lowered(U"\x10400\x13A0\x1C90"), U"\x10428\xAB70\x10D0");
  EXPECT_EQ(lowered(U"\x130I"), U"ii");
}

TEST(LowerCase, LowersASigmaAtTheEndOfAWordDifferently) {
  EXPECT_EQ(lowered(U"ΟΔΟΣ"), U"οδος");
  EXPECT_EQ(lowered(U"ΣΑΣ"), U"σας");
  EXPECT_EQ(lowered(U"Σ"), U"σ");        // no word before it
  EXPECT_EQ(lowered(U"1Σ"), U"1σ");      // nor here
  EXPECT_EQ(lowered(U"ΑΣ.Β"), U"ασ.β");  // a word may contain a dot
  EXPECT_EQ(lowered(U"ΑΣ-Β"), U"ας-β");  // but no hyphen
  EXPECT_EQ(lowered(U"ΑΣ.."), U"ας..");
  EXPECT_EQ(lowered(U"Α\x301Σ\x301"), U"α\x301ς\x301");
  EXPECT_EQ(lowered(U"\xAAΣ"), U"\xAAς");  // ª is cased, but not a cased letter
  EXPECT_EQ(lowered(U"ΑΣ\x24D0"), U"ασ\x24D0");
}

}  // namespace
}  // namespace tacho
