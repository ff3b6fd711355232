#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/table.h"
#include "report/run_findings.h"

namespace tacho {

// A table of the report's detail, as text and HTML both show it. What may be long is the last
// column.
struct ReportTable {
  std::string key;
  std::string title;
  std::string note;  // below it, or ""
  std::vector<Table::Heading> headings;
  std::vector<std::vector<std::string>> rows;
  std::vector<std::size_t> wide = {};  // columns that a narrow terminal leaves out, ascending
};

// The first `rows` lines of each, the costliest; only tables that have any.
std::vector<ReportTable> report_tables(const RunFindings& run, std::size_t rows);

// What was used of the machine: a name and a sentence each.
std::vector<std::pair<std::string, std::string>> usage_lines(const RunFindings& run);

}  // namespace tacho
