#pragma once

#include <string>
#include <vector>

namespace tacho {

// One line of RFC 4180, with its line end.
std::string csv_line(const std::vector<std::string>& cells);

// All digits of a double, so that reading it back gives the same number; "" for not-a-number.
std::string csv_number(double value);

}  // namespace tacho
