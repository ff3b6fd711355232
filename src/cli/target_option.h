#pragma once

#include <string_view>

#include "base/result.h"

namespace tacho {

// A number, or a sentence that begins with `what`: "--deadline".
Result<double> parse_number(std::string_view text, std::string_view what);

// An accuracy to reach: "top1=0.75", or the number alone.
Result<double> parse_target(std::string_view text);

}  // namespace tacho
