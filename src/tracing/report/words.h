#pragma once

#include <fmt/format.h>

#include <string>

namespace tacho {

// "43 %"
inline std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

}  // namespace tacho
