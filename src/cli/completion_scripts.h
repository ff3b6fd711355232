#pragma once

#include <string>
#include <vector>

#include "base/names.h"
#include "cli/completion_words.h"

namespace tacho {

enum class Shell { bash, zsh, fish };
inline constexpr Names<Shell, 3> kShells{
    "shell", {{{Shell::bash, "bash"}, {Shell::zsh, "zsh"}, {Shell::fish, "fish"}}}};

// A script that a shell reads to complete tacho's words.
std::string completion_script(Shell shell, const std::vector<Crossing>& crossings,
                              const std::vector<OptionValues>& values);

}  // namespace tacho
