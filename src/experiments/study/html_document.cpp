#include <fmt/format.h>

#include "experiments/study/document.h"
#include "tracing/report/html_page.h"
#include "tracing/report/html_text.h"

namespace tacho {
namespace {

constexpr std::string_view kStudyStyle = R"css(
.lead { max-width: 72ch; margin: .5rem 0; }
pre { background: var(--card); border: 1px solid var(--rule); border-radius: 8px; overflow-x: auto;
  padding: 10px 14px; margin: .6rem 0; font-size: 13px; white-space: pre-wrap; }
figure.picture { margin: 1rem 0; } figure.picture figcaption { margin-bottom: .4rem; }
.scroll { margin: .8rem 0; }
.absent { border-left: 3px solid var(--roof); padding: 2px 0 2px 12px; margin: .8rem 0; }
.absent b { color: var(--roof); }
nav a { color: var(--line); margin-right: 14px; }
)css";

std::string id_of(std::size_t section) { return fmt::format("s{}", section + 1); }

class HtmlWriter {
 public:
  std::string operator()(const Paragraph& block) const {
    return fmt::format("<p class=\"{}\">{}</p>\n", block.soft ? "lead soft" : "lead",
                       html_text(block.text));
  }
  std::string operator()(const FactList& block) const {
    std::string out = "<dl>\n";
    for (const auto& [name, words] : block.facts) {
      out += fmt::format("<dt>{}</dt><dd>{}</dd>\n", html_text(name), html_text(words));
    }
    return out + "</dl>\n";
  }
  std::string operator()(const DocumentTable& block) const {
    return html_table(block.headings, block.rows);
  }
  std::string operator()(const CommandLines& block) const {
    std::string text;
    for (const std::string& line : block.lines) text += (text.empty() ? "" : "\n") + line;
    return fmt::format("<pre>{}</pre>\n", html_text(text));
  }
  std::string operator()(const AbsentList& block) const {
    std::string out;
    for (const AbsentThing& thing : block.things) {
      out += fmt::format("<p class=\"absent\"><b>Not available: {}.</b> {}</p>\n",
                         html_text(thing.what), html_text(thing.why));
    }
    return out;
  }
  std::string operator()(const Chart& chart) const {
    return fmt::format("<figure class=\"picture\"><figcaption><b>{}</b></figcaption>{}</figure>\n",
                       html_text(title_of(chart)), chart_svg(chart));
  }
};

std::string blocks_of(const std::vector<Block>& blocks) {
  std::string out;
  for (const Block& block : blocks) out += std::visit(HtmlWriter{}, block);
  return out;
}

}  // namespace

std::string html_of(const Document& document) {
  std::string out = fmt::format("<h1>{}</h1>\n", html_text(document.title)) +
                    blocks_of(document.opening) + "<nav>";
  for (std::size_t i = 0; i < document.sections.size(); ++i) {
    out += fmt::format("<a href=\"#{}\">{}</a>", id_of(i), html_text(document.sections[i].title));
  }
  out += "</nav>\n";
  for (std::size_t i = 0; i < document.sections.size(); ++i) {
    const DocumentSection& section = document.sections[i];
    out += fmt::format("<section id=\"{}\">\n<h2>{}</h2>\n{}</section>\n", id_of(i),
                       html_text(section.title), blocks_of(section.blocks));
  }
  return report_page(document.title, fmt::format("{}{}", kStudyStyle, kChartStyle), out,
                     document.footer);
}

}  // namespace tacho
