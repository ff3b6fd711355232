#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/table.h"

namespace tacho {

// Returns a whole page. `title` is text; `head`, elements after the title, and `body` are HTML.
std::string html_page(std::string_view title, std::string_view head, std::string_view body);

// Returns a page that works offline, with the style of all reports and `style` after it. `footer`
// is text.
std::string report_page(std::string_view title, std::string_view style, std::string_view body,
                        std::string_view footer);

// Returns a table that scrolls on narrow screens. Left cells show their whole text as a tooltip,
// because the last one may be cut.
std::string html_table(const std::vector<Table::Heading>& headings,
                       const std::vector<std::vector<std::string>>& rows);

}  // namespace tacho
