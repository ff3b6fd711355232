#include <fmt/format.h>

#include <algorithm>

#include "base/wrapped_text.h"
#include "experiments/study/document.h"

namespace tacho {
namespace {

constexpr std::size_t kTextColumns = 80;

class TextWriter {
 public:
  explicit TextWriter(const Terminal& terminal) : terminal_(terminal) {}

  std::string operator()(const Paragraph& block) const {
    const std::string text = wrapped(printable(block.text), kTextColumns);
    return block.soft ? terminal_.dim(text) : text;
  }
  std::string operator()(const FactList& block) const {
    std::string out;
    for (const auto& [name, words] : block.facts) {
      out += fmt::format("{:<14} {}\n", printable(name), printable(words));
    }
    return out;
  }
  std::string operator()(const DocumentTable& block) const {
    Table table(block.headings);
    for (const auto& row : block.rows) table.add(row);
    const bool folds = terminal_.interactive();
    return "\n" + (folds ? table.folded(terminal_, static_cast<std::size_t>(terminal_.columns()))
                         : table.text(terminal_));
  }
  std::string operator()(const CommandLines& block) const {
    std::string out;
    for (const std::string& line : block.lines) {
      out += terminal_.dim("$ " + printable(line)) + "\n";
    }
    return out;
  }
  std::string operator()(const AbsentList& block) const {
    std::string out;
    for (const AbsentThing& thing : block.things) {
      const std::string words =
          fmt::format("not available: {}: {}", printable(thing.what), printable(thing.why));
      out += terminal_.yellow(wrapped(words, kTextColumns, "  "));
    }
    return out;
  }
  std::string operator()(const Chart& /*chart*/) const { return ""; }

 private:
  const Terminal& terminal_;
};

}  // namespace

std::string text_of(const Document& document, const Terminal& terminal) {
  const TextWriter writer(terminal);
  std::string out = terminal.bold(printable(document.title)) + "\n";
  for (const Block& block : document.opening) out += std::visit(writer, block);
  for (const DocumentSection& section : document.sections) {
    out += "\n" + terminal.bold("── " + printable(section.title) + " ──") + "\n";
    for (const Block& block : section.blocks) out += std::visit(writer, block);
  }
  return out + "\n" + terminal.dim(printable(document.footer)) + "\n";
}

}  // namespace tacho
