#pragma once

#include <string>
#include <string_view>

namespace tacho {

// Makes text safe anywhere in an HTML or SVG document, attributes included: escapes markup and
// replaces control characters and invalid UTF-8 by U+FFFD.
std::string html_text(std::string_view text);

}  // namespace tacho
