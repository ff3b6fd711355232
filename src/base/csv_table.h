#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// The records of a CSV file with exactly the given columns, in any order. A missing or unknown
// column is an error that names the nearest known one.
class CsvTable {
 public:
  static Result<CsvTable> parse(std::string_view text, std::span<const std::string_view> columns);

  [[nodiscard]] std::size_t rows() const { return lines_.size(); }

 private:
  friend class CsvRow;
  // Row by row, in the order of `columns_`.
  std::vector<std::string> cells_;
  std::vector<std::string_view> columns_;
  std::vector<std::size_t> lines_;  // first line of each row, from 1
};

// Reads one row cell by cell. Keeps the first error, so that a reader is a list of read() calls
// with one finish() at the end, as with JsonObject.
class CsvRow {
 public:
  CsvRow(const CsvTable& table, std::size_t row) : table_(table), row_(row) {}

  void read(std::string_view column, std::string& out);  // "" is an error
  void read(std::string_view column, double& out);       // finite
  void read(std::string_view column, std::int64_t& out);
  void read(std::string_view column, std::vector<double>& out);  // separated by single spaces
  void read_optional(std::string_view column, std::string& out);
  void read_optional(std::string_view column, std::optional<double>& out);

  // Reports a value that was read but makes no sense.
  void refuse(std::string_view column, std::string_view what);
  Result<void> finish();

 private:
  std::string_view cell(std::string_view column) const;

  const CsvTable& table_;
  std::size_t row_;
  std::optional<Error> error_;
};

}  // namespace tacho
