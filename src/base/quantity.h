#pragma once

#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace tacho {

// These functions parse amounts that people type. A bare number is refused: "10" could be seconds
// or minutes.
Result<Seconds> parse_duration(std::string_view text);  // "90s", "10m", "1.5h", "1h30m", "500ms"
Result<Bytes> parse_bytes(std::string_view text);       // "512M", "2G", "1.5GiB": powers of 1024
Result<double> parse_percent(std::string_view text);    // "1%", "0.5 %": 0.01, 0.005

}  // namespace tacho
