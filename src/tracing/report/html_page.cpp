#include "tracing/report/html_page.h"

#include <fmt/format.h>

#include "tracing/report/html_style.h"
#include "tracing/report/html_text.h"

namespace tacho {

std::string html_page(std::string_view title, std::string_view head, std::string_view body) {
  return fmt::format(
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<title>{}</title>\n{}</head>\n<body>\n{}</body>\n</html>\n",
      html_text(title), head, body);
}

std::string report_page(std::string_view title, std::string_view style, std::string_view body,
                        std::string_view footer) {
  return html_page(title, fmt::format("<style>{}{}</style>\n", kHtmlStyle, style),
                   fmt::format("{}<footer>{}</footer>\n", body, html_text(footer)));
}

std::string html_table(const std::vector<Table::Heading>& headings,
                       const std::vector<std::vector<std::string>>& rows) {
  std::string out = "<div class=\"scroll\"><table>\n<tr>";
  for (const Table::Heading& heading : headings) {
    out += fmt::format("<th{}>{}</th>", heading.align == Align::left ? " class=\"left\"" : "",
                       html_text(heading.title));
  }
  out += "</tr>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::string text = html_text(row[i]);
      out += headings[i].align == Align::left
                 ? fmt::format("<td class=\"left\" title=\"{0}\">{0}</td>", text)
                 : fmt::format("<td>{}</td>", text);
    }
    out += "</tr>\n";
  }
  return out + "</table></div>\n";
}

}  // namespace tacho
