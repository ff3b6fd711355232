#include "base/csv.h"

#include <fmt/format.h>

#include <cmath>

namespace tacho {

std::string csv_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) {
    if (!line.empty() || &cell != &cells.front()) line += ',';
    if (cell.find_first_of(",\"\r\n") == std::string::npos) {
      line += cell;
      continue;
    }
    line += '"';
    for (const char c : cell) {
      if (c == '"') line += '"';
      line += c;
    }
    line += '"';
  }
  return line + "\r\n";
}

std::string csv_number(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

}  // namespace tacho
