#pragma once

#include <string>
#include <vector>

#include "base/names.h"
#include "cli/completion_words.h"

namespace tacho {

enum class Shell { bash, zsh, fish };
inline constexpr Names<Shell, 3> kShells{
    "shell", {{{Shell::bash, "bash"}, {Shell::zsh, "zsh"}, {Shell::fish, "fish"}}}};

// Returns the script that completes commands, options and values of tacho.
std::string completion_script(Shell shell, const std::vector<CompletionNode>& nodes,
                              const std::vector<OptionValues>& values);

}  // namespace tacho
