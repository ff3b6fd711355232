#include "base/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/nearest.h"

namespace tacho {
namespace {

Error at_line(std::size_t line, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("line {}: {}", line, what)};
}

// Cuts text into records; knows nothing of what they mean.
class Records {
 public:
  explicit Records(std::string_view text) : text_(text) {}

  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] std::size_t line() const { return line_; }

  Result<std::vector<std::string>> next() {
    std::vector<std::string> cells;
    while (true) {
      TACHO_TRY(cell, next_cell());
      cells.push_back(std::move(cell));
      if (at_end()) return cells;
      if (text_[at_] == ',') {
        ++at_;
        continue;
      }
      if (text_[at_] == '\r') ++at_;
      if (at_end() || text_[at_] != '\n') return at_line(line_, "a carriage return alone");
      ++at_;
      ++line_;
      return cells;
    }
  }

 private:
  Result<std::string> next_cell() {
    if (!at_end() && text_[at_] == '"') return quoted_cell();
    const std::size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    std::string cell(text_.substr(at_, end - at_));
    if (cell.find('"') != std::string::npos) {
      return at_line(line_, "a quote within a cell that has none around it");
    }
    at_ = end;
    return cell;
  }

  Result<std::string> quoted_cell() {
    const std::size_t begun = line_;
    std::string cell;
    ++at_;
    while (true) {
      if (at_end()) return at_line(begun, "a quote is opened and never closed");
      const char c = text_[at_++];
      if (c == '"') {
        if (at_end() || text_[at_] != '"') break;
        ++at_;
      }
      if (c == '\n') ++line_;
      cell += c;
    }
    if (!at_end() && std::string_view(",\r\n").find(text_[at_]) == std::string_view::npos) {
      return at_line(line_, "text after a closing quote");
    }
    return cell;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

// For each heading of the file, which of `columns` it is.
Result<std::vector<std::size_t>> places_of(const std::vector<std::string>& headings,
                                           std::span<const std::string_view> columns) {
  std::vector<std::size_t> places;
  for (const std::string& heading : headings) {
    const auto found = std::ranges::find(columns, heading);
    if (found == columns.end()) return at_line(1, unknown_name("column", heading, columns));
    const auto place = static_cast<std::size_t>(found - columns.begin());
    if (std::ranges::find(places, place) != places.end()) {
      return at_line(1, fmt::format("column '{}' stands there twice", heading));
    }
    places.push_back(place);
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::ranges::find(places, i) == places.end()) {
      return at_line(1, fmt::format("column '{}' is missing", columns[i]));
    }
  }
  return places;
}

template <class Number>
bool parse_number(std::string_view text, Number& out) {
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), out);
  return problem == std::errc() && end == text.data() + text.size();
}

bool parse_finite(std::string_view text, double& out) {
  return parse_number(text, out) && std::isfinite(out);
}

}  // namespace

Result<CsvTable> CsvTable::parse(std::string_view text, std::span<const std::string_view> columns) {
  if (text.find('\0') != std::string_view::npos) {
    return Error{ErrorCode::invalid, "holds a zero byte: not a CSV file"};
  }
  if (text.empty()) return Error{ErrorCode::invalid, "is empty: a line of headings is needed"};
  Records records(text);
  TACHO_TRY(headings, records.next());
  TACHO_TRY(places, places_of(headings, columns));
  CsvTable table;
  table.columns_.assign(columns.begin(), columns.end());
  while (!records.at_end()) {
    const std::size_t line = records.line();
    TACHO_TRY(cells, records.next());
    if (cells.size() != places.size()) {
      return at_line(line, fmt::format("{} cells where the heading names {} columns", cells.size(),
                                       places.size()));
    }
    const std::size_t first = table.cells_.size();
    table.cells_.resize(first + columns.size());
    for (std::size_t i = 0; i < cells.size(); ++i) {
      table.cells_[first + places[i]] = std::move(cells[i]);
    }
    table.lines_.push_back(line);
  }
  return table;
}

std::string_view CsvRow::cell(std::string_view column) const {
  const auto found = std::ranges::find(table_.columns_, column);
  if (found == table_.columns_.end()) broken_invariant("a column the table was not read with");
  const auto place = static_cast<std::size_t>(found - table_.columns_.begin());
  return table_.cells_[row_ * table_.columns_.size() + place];
}

void CsvRow::refuse(std::string_view column, std::string_view what) {
  if (!error_) error_ = at_line(table_.lines_[row_], fmt::format("{}: {}", column, what));
}

void CsvRow::read(std::string_view column, std::string& out) {
  out = cell(column);
  if (out.empty()) refuse(column, "is empty");
}

void CsvRow::read(std::string_view column, double& out) {
  if (!parse_finite(cell(column), out)) {
    refuse(column, fmt::format("'{}' is not a number", cell(column)));
  }
}

void CsvRow::read(std::string_view column, std::int64_t& out) {
  if (!parse_number(cell(column), out)) {
    refuse(column, fmt::format("'{}' is not a whole number", cell(column)));
  }
}

void CsvRow::read(std::string_view column, std::vector<double>& out) {
  out.clear();
  std::string_view rest = cell(column);
  while (true) {
    const std::size_t end = std::min(rest.find(' '), rest.size());
    double value = 0;
    if (!parse_finite(rest.substr(0, end), value)) {
      return refuse(column, fmt::format("'{}' is not a number", rest.substr(0, end)));
    }
    out.push_back(value);
    if (end == rest.size()) return;
    rest.remove_prefix(end + 1);
  }
}

void CsvRow::read_optional(std::string_view column, std::string& out) { out = cell(column); }

void CsvRow::read_optional(std::string_view column, std::optional<double>& out) {
  out.reset();
  if (cell(column).empty()) return;
  double value = 0;
  read(column, value);
  out = value;
}

Result<void> CsvRow::finish() {
  if (error_) return *error_;
  return {};
}

}  // namespace tacho
