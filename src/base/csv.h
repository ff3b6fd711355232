#pragma once

#include <string>
#include <vector>

namespace tacho {

// Returns one line as in RFC 4180, with its line end.
std::string csv_line(const std::vector<std::string>& cells);

// Formats a double with all its digits, so that reading it back gives the same number; "" for NaN.
std::string csv_number(double value);

}  // namespace tacho
