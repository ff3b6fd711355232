#include "base/table.h"

#include <algorithm>

#include "base/result.h"
#include "base/split.h"
#include "base/wrapped_text.h"

namespace tacho {
namespace {

constexpr std::size_t kGap = 2;

std::vector<std::string> folded_cell(std::string_view cell, std::size_t width) {
  const std::string text = wrapped(cell, width);
  const auto lines = lines_of(text);
  return {lines.begin(), lines.end()};
}

std::size_t longest_word(std::string_view cell) {
  std::size_t longest = 0;
  for (const std::string_view word : split(cell, ' ')) {
    longest = std::max(longest, display_width(word));
  }
  return longest;
}

}  // namespace

void Table::add(std::vector<std::string> row) {
  if (row.size() != headings_.size()) broken_invariant("a table row of another width");
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

std::string Table::text(const Terminal& terminal) const {
  std::vector<std::size_t> widths = this->widths();
  const bool may_cut = terminal.interactive() && headings_.back().align == Align::left;
  if (may_cut) {
    std::size_t before = 0;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + kGap;
    const auto columns = static_cast<std::size_t>(terminal.columns());
    widths.back() = std::min(widths.back(), columns > before + 8 ? columns - before : 8);
  }

  const auto cut_line = [&](std::vector<std::string> cells) {
    if (may_cut) cells.back() = shortened(cells.back(), widths.back());
    return line(cells, widths);
  };
  std::string out = terminal.dim(cut_line(titles())) + "\n";
  for (const auto& row : rows_) out += cut_line(row) + "\n";
  return out;
}

std::string Table::folded(const Terminal& terminal, std::size_t columns) const {
  const std::vector<std::size_t> widths = folded_widths(columns);
  std::string out = terminal.dim(folded_row(titles(), widths)) + "\n";
  for (const auto& row : rows_) out += folded_row(row, widths) + "\n";
  return out;
}

std::vector<std::string> Table::titles() const {
  std::vector<std::string> titles;
  for (const Heading& heading : headings_) titles.push_back(heading.title);
  return titles;
}

std::vector<std::size_t> Table::widths() const {
  std::vector<std::size_t> widths;
  for (const Heading& heading : headings_) widths.push_back(display_width(heading.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  return widths;
}

// Narrows the widest column first, but none below its longest word.
std::vector<std::size_t> Table::folded_widths(std::size_t columns) const {
  std::vector<std::size_t> widths = this->widths();
  std::vector<std::size_t> least;
  for (const Heading& heading : headings_) least.push_back(longest_word(heading.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      least[i] = std::max(least[i], longest_word(row[i]));
  }
  std::size_t total = kGap * (widths.size() - 1);
  for (const std::size_t width : widths) total += width;
  for (; total > columns; --total) {
    std::size_t widest = widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i) {
      if (widths[i] > least[i] && (widest == widths.size() || widths[i] > widths[widest]))
        widest = i;
    }
    if (widest == widths.size()) break;
    --widths[widest];
  }
  return widths;
}

// Returns the row without the final line end.
std::string Table::folded_row(const std::vector<std::string>& cells,
                              const std::vector<std::size_t>& widths) const {
  std::vector<std::vector<std::string>> lines;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::vector<std::string> parts = folded_cell(cells[i], widths[i]);
    lines.resize(std::max(lines.size(), parts.size()), std::vector<std::string>(cells.size()));
    for (std::size_t k = 0; k < parts.size(); ++k) lines[k][i] = parts[k];
  }
  std::string out;
  for (const auto& parts : lines) out += (out.empty() ? "" : "\n") + line(parts, widths);
  return out;
}

std::string Table::line(const std::vector<std::string>& cells,
                        const std::vector<std::size_t>& widths) const {
  std::string out;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string padding(widths[i] - std::min(widths[i], display_width(cells[i])), ' ');
    if (i > 0) out.append(kGap, ' ');
    out += headings_[i].align == Align::right ? padding + cells[i] : cells[i] + padding;
  }
  out.erase(out.find_last_not_of(' ') + 1);
  return out;
}

}  // namespace tacho
