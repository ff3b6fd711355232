#pragma once

#include <string_view>

#include "base/result.h"

namespace tacho {

// Parses a number; errors begin with `what`, such as "--deadline".
Result<double> parse_number(std::string_view text, std::string_view what);

// Parses a target accuracy: "top1=0.75", or the number alone.
Result<double> parse_target(std::string_view text);

}  // namespace tacho
