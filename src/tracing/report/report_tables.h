#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/table.h"
#include "tracing/report/run_findings.h"

namespace tacho {

// A detail table of the text and HTML reports. Only the last column may be long.
struct ReportTable {
  std::string key;
  std::string title;
  std::string note;  // below the table, or ""
  std::vector<Table::Heading> headings;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> wide = {};  // columns that a narrow terminal leaves out, ascending
};

// Returns the tables that are not empty, each with its first (most expensive) `rows` rows.
std::vector<ReportTable> report_tables(const RunFindings& run, std::size_t rows);

// Resource usage as pairs of a label and a text.
std::vector<std::pair<std::string, std::string>> usage_lines(const RunFindings& run);

}  // namespace tacho
