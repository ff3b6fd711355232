#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/units.h"

namespace tacho {

// The values of launchers' options. Errors begin with "option NAME=TEXT: ".

// 0, 1, 2, …
Result<std::int64_t> read_count(std::string_view name, const std::string& text);
// "800M", "1.5G", "2T"; by powers of 1024, as schedulers have it.
Result<Bytes> read_bytes(std::string_view name, const std::string& text);
// Not empty, without control characters.
Result<void> check_value(std::string_view name, const std::string& text);

}  // namespace tacho
