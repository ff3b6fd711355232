#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

struct CsvRecord {
  std::size_t line = 0;  // first line of the record, from 1
  std::vector<std::string> cells;
};

struct CsvRecords {
  std::vector<std::string> headings;
  std::vector<CsvRecord> rows;  // each has one cell per heading
};

// Reads a CSV file (RFC 4180) with any columns. A row with too many or too few cells, a duplicate
// heading or a stray quote is an error that names the line. A blank last line is ignored.
Result<CsvRecords> read_csv(std::string_view text);

}  // namespace tacho
