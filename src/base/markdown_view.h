#pragma once

#include <string>
#include <string_view>

#include "base/terminal.h"

namespace tacho {

// Formats Markdown for a terminal: bold headings; paragraphs, lists, table cells and long commands
// wrapped at `columns`; other code unchanged; links replaced by their text.
std::string markdown_view(std::string_view page, const Terminal& terminal,
                          std::size_t columns = 80);

}  // namespace tacho
