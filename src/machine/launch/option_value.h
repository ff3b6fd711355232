#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace tacho {

// Parsers for the options of launchers. Errors begin with "option NAME=TEXT: ".

// Parses 0, 1, 2, …
Result<std::int64_t> read_count(std::string_view name, const std::string& text);
// Parses "800M", "1.5G", "2T" with powers of 1024, as in schedulers.
Result<Bytes> read_bytes(std::string_view name, const std::string& text);
// Refuses empty values and control characters.
Result<void> check_value(std::string_view name, const std::string& text);

}  // namespace tacho
