#pragma once

#include <string>

// What Unicode 15 says of characters, through utf8proc. Python says the same where its
// unicodedata is of the same version; BERT's tokenizer is defined in those terms.
namespace tacho {

bool is_control(char32_t c);  // Cc, Cf, Co, Cs and what is not assigned
bool is_whitespace(char32_t c);
bool is_punctuation(char32_t c);  // P*
bool is_mark(char32_t c);         // Mn: an accent that takes no room of its own

// A Chinese character, of those blocks that there were when BERT was made. Not kana, not Hangul.
bool is_ideograph(char32_t c);

void decompose(std::u32string& text);  // to normal form D

// As Python's str.lower(): a Σ that ends a word becomes ς, any other σ. But İ becomes i alone,
// without the dot above that Python sets behind it.
void lower_case(std::u32string& text);

}  // namespace tacho
