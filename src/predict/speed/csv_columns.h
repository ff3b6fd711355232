#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/csv_records.h"
#include "base/result.h"

namespace tacho {

// Returns the index of each of `columns`; a missing one is an error that names the most similar
// heading. Other columns are ignored.
Result<std::vector<std::size_t>> column_places(const CsvRecords& records,
                                               std::span<const std::string_view> columns);

// One row with access by column name.
class CsvColumns {
 public:
  CsvColumns(const CsvRecord& record, std::span<const std::string_view> columns,
             const std::vector<std::size_t>& places)
      : record_(record), columns_(columns), places_(places) {}

  // Returns true if the column was requested.
  [[nodiscard]] bool has(std::string_view column) const;
  [[nodiscard]] const std::string& text(std::string_view column) const;
  // Returns nothing for an empty cell.
  [[nodiscard]] Result<std::optional<double>> number(std::string_view column) const;

 private:
  const CsvRecord& record_;
  std::span<const std::string_view> columns_;
  const std::vector<std::size_t>& places_;
};

}  // namespace tacho
