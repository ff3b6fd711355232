#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv_records.h"
#include "base/result.h"

namespace tacho {

// Where each of `columns` stands in the file; one that is missing is an error that names the
// heading it may have been mistaken for. Others may stand there too.
Result<std::vector<std::size_t>> column_places(const CsvRecords& records,
                                               std::span<const std::string_view> columns);

// One row by the names of its columns.
class CsvColumns {
 public:
  CsvColumns(const CsvRecord& record, std::span<const std::string_view> columns,
             const std::vector<std::size_t>& places)
      : record_(record), columns_(columns), places_(places) {}

  // Whether it was asked for.
  [[nodiscard]] bool has(std::string_view column) const;
  [[nodiscard]] const std::string& text(std::string_view column) const;
  // Nothing where the cell is empty.
  [[nodiscard]] Result<std::optional<double>> number(std::string_view column) const;

 private:
  const CsvRecord& record_;
  std::span<const std::string_view> columns_;
  const std::vector<std::size_t>& places_;
};

}  // namespace tacho
