#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// Splits a command line into words like a shell: at blanks, with '…', "…" and \ as quotes. There is
// no other shell syntax: no variables, patterns or pipes.
Result<std::vector<std::string>> split_words(std::string_view line);

// The inverse for one word: split_words(shell_quoted(word)) returns that word.
std::string shell_quoted(std::string_view word);
std::string shell_quoted(const std::vector<std::string>& words);

}  // namespace tacho
