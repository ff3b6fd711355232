#include "base/table.h"

#include <algorithm>

#include "base/result.h"

namespace tacho {
namespace {

constexpr std::size_t kGap = 2;

}  // namespace

void Table::add(std::vector<std::string> row) {
  if (row.size() != headings_.size()) broken_invariant("a table row of another width");
  for (std::string& cell : row) cell = printable(cell);
  rows_.push_back(std::move(row));
}

std::string Table::text(const Terminal& terminal) const {
  std::vector<std::size_t> widths;
  for (const Heading& heading : headings_) widths.push_back(display_width(heading.title));
  for (const auto& row : rows_) {
    for (std::size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], display_width(row[i]));
  }
  const bool may_cut = terminal.interactive() && headings_.back().align == Align::left;
  if (may_cut) {
    std::size_t before = 0;
    for (std::size_t i = 0; i + 1 < widths.size(); ++i) before += widths[i] + kGap;
    const auto columns = static_cast<std::size_t>(terminal.columns());
    widths.back() = std::min(widths.back(), columns > before + 8 ? columns - before : 8);
  }

  const auto line = [&](const std::vector<std::string>& cells) {
    std::string out;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const bool last = i + 1 == cells.size();
      const std::string cell = last && may_cut ? shortened(cells[i], widths[i]) : cells[i];
      const std::string padding(widths[i] - std::min(widths[i], display_width(cell)), ' ');
      if (i > 0) out.append(kGap, ' ');
      out += headings_[i].align == Align::right ? padding + cell : cell + padding;
    }
    out.erase(out.find_last_not_of(' ') + 1);
    return out;
  };

  std::vector<std::string> titles;
  for (const Heading& heading : headings_) titles.push_back(heading.title);
  std::string out = terminal.dim(line(titles)) + "\n";
  for (const auto& row : rows_) out += line(row) + "\n";
  return out;
}

}  // namespace tacho
