#pragma once

#include <string>
#include <string_view>

#include "base/terminal.h"

namespace CLI {
class App;
}

namespace tacho {

// The width of help texts: that of the terminal, but at least 60 and at most 100 columns.
std::size_t help_columns(const Terminal& terminal);

// Formats the help of a command, for CLI::App::formatter_fn(). `name` is its full name, as in
// "tacho runs ls". No line exceeds `columns`. A footer that a command inherits is left out.
std::string help_text(const CLI::App& command, const std::string& name, std::size_t columns);

// Formats the text below the options. Paragraphs are wrapped. Lines that begin with two blanks are
// examples: what follows two blanks within such a line is an explanation, set in a second column;
// a long command is continued on the next line with a backslash.
std::string help_footer(std::string_view footer, std::size_t columns);

// "PROGRAM" for a positional, "--batch" for an option.
std::string shown_name(std::string_view option_name);

}  // namespace tacho
