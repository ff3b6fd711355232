#include "microbench/memory/gpu_counts.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "base/csv_records.h"
#include "base/parse_number.h"

namespace tacho::bandwidth {
namespace {

struct Metric {
  const char* column;
  const char* name;
};
constexpr std::array kMetrics = {Metric{"dram__bytes_read.sum", "memory_read_bytes"},
                                 Metric{"dram__bytes_write.sum", "memory_write_bytes"}};

Result<std::size_t> column_of(const CsvRecords& table, std::string_view heading) {
  const auto found = std::ranges::find(table.headings, heading);
  if (found == table.headings.end()) {
    return Error{ErrorCode::invalid, fmt::format("ncu: no column '{}'", heading)};
  }
  return static_cast<std::size_t>(found - table.headings.begin());
}

// Parses "50,498,304".
std::optional<double> number_in(std::string cell) {
  std::erase(cell, ',');
  return parse_number<double>(cell);
}

// Skips the log lines above the table.
std::string_view table_in(std::string_view log) {
  const auto begin = log.find("\"ID\"");
  return begin == std::string_view::npos ? std::string_view() : log.substr(begin);
}

}  // namespace

std::string gpu_metrics() {
  std::string list;
  for (const Metric& metric : kMetrics) {
    if (!list.empty()) list += ',';
    list += metric.column;
  }
  return list;
}

Result<std::vector<Counts>> counts_of_cases(std::string_view ncu_log) {
  const std::string_view csv = table_in(ncu_log);
  if (csv.empty()) return Error{ErrorCode::invalid, "ncu: counted nothing"};
  TACHO_TRY(table, read_csv(csv));
  TACHO_TRY(kernel, column_of(table, "Kernel Name"));
  std::array<std::size_t, kMetrics.size()> columns{};
  for (std::size_t i = 0; i < kMetrics.size(); ++i) {
    TACHO_TRY(column, column_of(table, kMetrics[i].column));
    columns[i] = column;
  }
  std::vector<Counts> cases;
  bool within = false;
  for (const CsvRecord& row : table.rows) {
    const std::string& name = row.cells[kernel];
    if (name.find(kCaseBegins) != std::string::npos) {
      cases.emplace_back();
      within = true;
    } else if (name.find(kCaseEnds) != std::string::npos) {
      within = false;
    } else if (within) {
      for (std::size_t i = 0; i < kMetrics.size(); ++i) {
        const auto value = number_in(row.cells[columns[i]]);
        if (!value) {
          return Error{ErrorCode::invalid,
                       fmt::format("ncu: line {} of the table: not a number", row.line)};
        }
        cases.back()[kMetrics[i].name] += *value;
      }
    }
  }
  return cases;
}

Result<void> add_counts(const std::vector<Counts>& of_cases, Survey& survey) {
  std::vector<Measurement*> in_memory;
  for (Measurement& m : survey.measurements) {
    if (m.level == "memory") in_memory.push_back(&m);
  }
  if (in_memory.size() != of_cases.size()) {
    return Error{ErrorCode::failed, fmt::format("ncu: {} cases were counted, {} were timed",
                                                of_cases.size(), in_memory.size())};
  }
  for (std::size_t i = 0; i < of_cases.size(); ++i) in_memory[i]->counts = of_cases[i];
  return {};
}

}  // namespace tacho::bandwidth
