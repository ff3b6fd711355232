#include "base/csv_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/csv_records.h"
#include "base/nearest.h"
#include "base/split.h"

namespace tacho {
namespace {

Error wrong_in(std::size_t line, std::string_view what) {
  return {ErrorCode::invalid, fmt::format("line {}: {}", line, what)};
}

// Returns the index in `columns` of each heading of the file.
Result<std::vector<std::size_t>> places_of(const std::vector<std::string>& headings,
                                           std::span<const std::string_view> columns) {
  std::vector<std::size_t> places;
  for (const std::string& heading : headings) {
    const auto found = std::ranges::find(columns, heading);
    if (found == columns.end()) return wrong_in(1, unknown_name("column", heading, columns));
    places.push_back(static_cast<std::size_t>(found - columns.begin()));
  }
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (std::ranges::find(places, i) == places.end()) {
      return wrong_in(1, fmt::format("column '{}' is missing", columns[i]));
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
  TACHO_TRY(records, read_csv(text));
  TACHO_TRY(places, places_of(records.headings, columns));
  CsvTable table;
  table.columns_.assign(columns.begin(), columns.end());
  for (CsvRecord& record : records.rows) {
    const std::size_t first = table.cells_.size();
    table.cells_.resize(first + columns.size());
    for (std::size_t i = 0; i < places.size(); ++i) {
      table.cells_[first + places[i]] = std::move(record.cells[i]);
    }
    table.lines_.push_back(record.line);
  }
  return table;
}

std::string_view CsvRow::cell(std::string_view column) const {
  const auto found = std::ranges::find(table_.columns_, column);
  if (found == table_.columns_.end()) broken_invariant("unknown column of a CsvTable");
  const auto place = static_cast<std::size_t>(found - table_.columns_.begin());
  return table_.cells_[row_ * table_.columns_.size() + place];
}

void CsvRow::refuse(std::string_view column, std::string_view what) {
  if (!error_) error_ = wrong_in(table_.lines_[row_], fmt::format("{}: {}", column, what));
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
  for (const std::string_view word : split(cell(column), ' ')) {
    double value = 0;
    if (!parse_finite(word, value)) {
      return refuse(column, fmt::format("'{}' is not a number", word));
    }
    out.push_back(value);
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
