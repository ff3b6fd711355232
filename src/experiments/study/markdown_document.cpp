#include <fmt/format.h>

#include <algorithm>

#include "experiments/study/document.h"

namespace tacho {
namespace {

// Escapes characters that Markdown reads as table borders, emphasis, links or tags.
std::string markdown_text(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '\n') {
      out += ' ';
      continue;
    }
    if (std::string_view("|*_[]<>`\\").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

class MarkdownWriter {
 public:
  MarkdownWriter(const std::string& stem, MarkdownPage& page) : stem_(stem), page_(page) {}

  void operator()(const Paragraph& block) { page_.text += markdown_text(block.text) + "\n\n"; }
  void operator()(const FactList& block) {
    for (const auto& [name, words] : block.facts) {
      page_.text += fmt::format("- {}: {}\n", markdown_text(name), markdown_text(words));
    }
    page_.text += "\n";
  }
  void operator()(const DocumentTable& block) {
    std::string rule = "|";
    page_.text += "|";
    for (const Table::Heading& heading : block.headings) {
      page_.text += fmt::format(" {} |", markdown_text(heading.title));
      rule += heading.align == Align::left ? "---|" : "--:|";
    }
    page_.text += "\n" + rule + "\n";
    for (const auto& row : block.rows) {
      page_.text += "|";
      for (const std::string& cell : row) page_.text += fmt::format(" {} |", markdown_text(cell));
      page_.text += "\n";
    }
    page_.text += "\n";
  }
  void operator()(const CommandLines& block) {
    for (const std::string& line : block.lines) page_.text += "    " + line + "\n";
    page_.text += "\n";
  }
  void operator()(const AbsentList& block) {
    for (const AbsentThing& thing : block.things) {
      page_.text += fmt::format("- **Not available: {}.** {}\n", markdown_text(thing.what),
                                markdown_text(thing.why));
    }
    page_.text += "\n";
  }
  void operator()(const Chart& chart) {
    const std::string name = fmt::format("{}-{}.svg", stem_, page_.pictures.size() + 1);
    page_.text += fmt::format("![{}]({})\n\n", markdown_text(title_of(chart)), name);
    page_.pictures.emplace_back(name, chart_file(chart));
  }

  void all(const std::vector<Block>& blocks) {
    for (const Block& block : blocks) std::visit(*this, block);
  }

 private:
  const std::string& stem_;
  MarkdownPage& page_;
};

}  // namespace

MarkdownPage markdown_of(const Document& document, const std::string& stem) {
  MarkdownPage page;
  MarkdownWriter writer(stem, page);
  page.text = fmt::format("# {}\n\n", markdown_text(document.title));
  writer.all(document.opening);
  for (const DocumentSection& section : document.sections) {
    page.text += fmt::format("## {}\n\n", markdown_text(section.title));
    writer.all(section.blocks);
  }
  page.text += markdown_text(document.footer) + "\n";
  return page;
}

}  // namespace tacho
