#pragma once

#include <string>
#include <string_view>

namespace tacho {

// Text as it may stand anywhere in an HTML or SVG document, attributes included: markup is escaped,
// control characters and bytes that are not UTF-8 become U+FFFD.
std::string html_text(std::string_view text);

}  // namespace tacho
