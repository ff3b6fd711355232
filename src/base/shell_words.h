#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// A command line in words, as a shell takes it apart: blanks separate, '…', "…" and \ hold
// together. Nothing else is a shell's: no variables, no patterns, no pipes.
Result<std::vector<std::string>> split_words(std::string_view line);

// The way back for one word: split_words(shell_quoted(word)) is that word.
std::string shell_quoted(std::string_view word);
std::string shell_quoted(const std::vector<std::string>& words);

}  // namespace tacho
