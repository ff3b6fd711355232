#pragma once

#include <string>
#include <string_view>

#include "base/terminal.h"

namespace tacho {

// A page of Markdown as a terminal shows it: headings bold, paragraphs, lists, cells of tables and
// long commands broken at `columns`, other code as it stands, links as their text.
std::string markdown_view(std::string_view page, const Terminal& terminal,
                          std::size_t columns = 80);

}  // namespace tacho
