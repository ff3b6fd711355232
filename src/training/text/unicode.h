#pragma once

#include <string>

// Character properties of Unicode 15, through utf8proc. They equal Python's if its unicodedata has
// the same version; BERT's tokenizer is defined in these terms.
namespace tacho {

bool is_control(char32_t c);  // Cc, Cf, Co, Cs and unassigned code points
bool is_whitespace(char32_t c);
bool is_punctuation(char32_t c);  // P*
bool is_mark(char32_t c);         // Mn: a non-spacing accent
bool is_letter(char32_t c);       // L*
bool is_number(char32_t c);       // N*
bool is_space(char32_t c);        // the property White_Space: \s of a regular expression

// A Chinese character in one of the blocks that existed when BERT was made. Not kana, not Hangul.
bool is_ideograph(char32_t c);

void decompose(std::u32string& text);  // to normal form D

// Like Python's str.lower(): a Σ at the end of a word becomes ς, any other σ. But İ becomes i,
// without the combining dot above that Python adds.
void lower_case(std::u32string& text);

}  // namespace tacho
