#include "predict/speed/csv_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/former_names.h"
#include "base/nearest.h"
#include "base/parse_number.h"

namespace tacho {

Result<std::vector<std::size_t>> column_places(const CsvRecords& records,
                                               std::span<const std::string_view> columns) {
  const std::vector<std::string_view> headings(records.headings.begin(), records.headings.end());
  std::vector<std::size_t> places;
  for (const std::string_view column : columns) {
    auto found = std::ranges::find(headings, column);
    if (found == headings.end()) found = std::ranges::find(headings, former_name(column));
    if (found == headings.end()) {
      const std::string_view like = nearest(column, headings);
      return Error{ErrorCode::usage,
                   fmt::format("line 1: column '{}' is missing{}", column,
                               like.empty() ? "" : fmt::format("; did you mean '{}'?", like))};
    }
    places.push_back(static_cast<std::size_t>(found - headings.begin()));
  }
  return places;
}

bool CsvColumns::has(std::string_view column) const {
  return std::ranges::find(columns_, column) != columns_.end();
}

const std::string& CsvColumns::text(std::string_view column) const {
  const auto found = std::ranges::find(columns_, column);
  if (found == columns_.end()) broken_invariant("column was not requested");
  return record_.cells[places_[static_cast<std::size_t>(found - columns_.begin())]];
}

Result<std::optional<double>> CsvColumns::number(std::string_view column) const {
  const std::string& cell = text(column);
  if (cell.empty()) return std::optional<double>();
  const auto value = parse_number<double>(cell);
  if (value && std::isfinite(*value)) return value;
  return Error{ErrorCode::usage, fmt::format("{}: '{}' is not a number", column, cell)};
}

}  // namespace tacho
