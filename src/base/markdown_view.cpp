#include "base/markdown_view.h"

#include <algorithm>
#include <vector>

#include "base/split.h"
#include "base/table.h"
#include "base/wrapped_text.h"

namespace tacho {
namespace {

bool is_space_or_edge(std::string_view text, std::size_t at) {
  return at >= text.size() || text[at] == ' ';
}

// True for *so*, false for the sign between two numbers.
bool is_emphasis(std::string_view text, std::size_t at, bool open) {
  if (text[at] != '*') return false;
  if (open) return !is_space_or_edge(text, at - 1);
  return (at == 0 || text[at - 1] == ' ' || text[at - 1] == '(') &&
         !is_space_or_edge(text, at + 1) && text.find('*', at + 1) != std::string_view::npos;
}

// Removes the marks of links, emphasis and code.
std::string without_marks(std::string_view text) {
  std::string out;
  bool code = false;
  bool emphasis = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '`') {
      code = !code;
      continue;
    }
    if (!code && c == '\\' && i + 1 < text.size()) {
      out += text[++i];
      continue;
    }
    if (!code && text.substr(i, 2) == "**") {
      ++i;
      continue;
    }
    if (!code && is_emphasis(text, i, emphasis)) {
      emphasis = !emphasis;
      continue;
    }
    const std::size_t middle = !code && c == '[' ? text.find("](", i) : std::string_view::npos;
    const std::size_t end = middle == std::string_view::npos ? middle : text.find(')', middle);
    if (end != std::string_view::npos && text.find(']', i) == middle) {
      out += without_marks(text.substr(i + 1, middle - i - 1));
      i = end;
      continue;
    }
    out += c;
  }
  return out;
}

// Returns the indentation of an item's further lines: 2 for "- ", 3 for "1. "; 0 if it is not an
// item.
std::size_t item_indent(std::string_view line) {
  if (line.starts_with("- ") || line.starts_with("* ")) return 2;
  const std::size_t digits = std::min(line.find_first_not_of("0123456789"), line.size());
  return digits > 0 && line.substr(digits).starts_with(". ") ? digits + 2 : 0;
}

// Breaks a long command with backslashes, so that it can still be copied, and moves its comment in
// front.
std::string folded_command(std::string_view line, std::size_t columns) {
  constexpr std::string_view kIndent = "    ";
  std::string out;
  const std::size_t comment = line.find("  # ");
  if (comment != std::string_view::npos) {
    out += kIndent;
    out += wrapped(line.substr(comment), columns - kIndent.size(), "    # ");
    line = line.substr(0, line.find_last_not_of(' ', comment) + 1);
  }
  std::string row(kIndent);
  char quote = 0;
  std::string_view rest = line.substr(kIndent.size());
  while (!rest.empty()) {
    std::size_t end = 0;
    for (; end < rest.size() && (quote != 0 || rest[end] != ' '); ++end) {
      if (quote != 0 && rest[end] == quote) {
        quote = 0;
      } else if (quote == 0 && (rest[end] == '\'' || rest[end] == '"')) {
        quote = rest[end];
      }
    }
    const std::string_view word = rest.substr(0, end);
    const bool first = row.find_first_not_of(' ') == std::string::npos;
    constexpr std::size_t kBackslash = 2;
    if (!first && display_width(row) + 1 + display_width(word) + kBackslash > columns) {
      out += row + " \\\n";
      row = std::string(kIndent) + std::string(kIndent);
    } else if (!first) {
      row += ' ';
    }
    row += word;
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return out + row + "\n";
}

bool begins_a_block(std::string_view line) {
  return line.empty() || line.front() == '#' || line.front() == '|' || item_indent(line) > 0 ||
         line.starts_with("```") || line.starts_with("    ");
}

std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> cells;
  line.remove_prefix(1);
  while (!line.empty()) {
    std::size_t end = line.find('|');
    while (end != std::string_view::npos && end > 0 && line[end - 1] == '\\') {
      end = line.find('|', end + 1);
    }
    if (end == std::string_view::npos) break;
    std::string_view cell = line.substr(0, end);
    while (cell.starts_with(' ')) cell.remove_prefix(1);
    while (cell.ends_with(' ')) cell.remove_suffix(1);
    std::string text(cell);
    for (std::size_t at = text.find("\\|"); at != std::string::npos; at = text.find("\\|", at)) {
      text.erase(at, 1);
    }
    cells.push_back(without_marks(text));
    line.remove_prefix(end + 1);
  }
  return cells;
}

bool is_rule(std::string_view line) {
  return line.starts_with("|") && line.find_first_not_of("|-: ") == std::string_view::npos;
}

class Page {
 public:
  Page(std::vector<std::string_view> lines, const Terminal& terminal, std::size_t columns)
      : lines_(std::move(lines)), terminal_(terminal), columns_(columns) {}

  std::string view() {
    while (at_ < lines_.size()) {
      const std::string_view line = lines_[at_];
      if (line.starts_with("```")) {
        fenced();
      } else if (line.starts_with('#')) {
        out_ += terminal_.bold(without_marks(line.substr(line.find_first_not_of("# ")))) + "\n";
        ++at_;
      } else if (line.starts_with('|')) {
        table();
      } else if (line.empty() || line.starts_with("    ")) {
        const bool long_command = line.starts_with("    $ ") && display_width(line) > columns_;
        out_ += long_command ? folded_command(line, columns_) : std::string(line) + "\n";
        ++at_;
      } else {
        paragraph();
      }
    }
    return out_;
  }

 private:
  void fenced() {
    for (++at_; at_ < lines_.size() && !lines_[at_].starts_with("```"); ++at_) {
      out_ += "    " + std::string(lines_[at_]) + "\n";
    }
    ++at_;
  }

  void paragraph() {
    const std::size_t indent = item_indent(lines_[at_]);
    std::string text(lines_[at_++]);
    while (at_ < lines_.size() &&
           (!begins_a_block(lines_[at_]) || (indent > 0 && lines_[at_].starts_with("  ")))) {
      text += " " + std::string(lines_[at_++]);
    }
    out_ += wrapped(without_marks(text), columns_, std::string(indent, ' '));
  }

  void table() {
    std::vector<Table::Heading> headings;
    for (std::string& cell : cells_of(lines_[at_]))
      headings.push_back({std::move(cell), Align::left});
    Table table(headings);
    for (++at_; at_ < lines_.size() && lines_[at_].starts_with('|'); ++at_) {
      if (is_rule(lines_[at_])) continue;
      auto cells = cells_of(lines_[at_]);
      cells.resize(headings.size());
      table.add(std::move(cells));
    }
    out_ += table.folded(terminal_, columns_);
  }

  std::vector<std::string_view> lines_;
  const Terminal& terminal_;
  std::size_t columns_;
  std::size_t at_ = 0;
  std::string out_;
};

}  // namespace

std::string markdown_view(std::string_view page, const Terminal& terminal, std::size_t columns) {
  return Page(lines_of(page), terminal, columns).view();
}

}  // namespace tacho
