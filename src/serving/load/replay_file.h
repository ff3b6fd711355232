#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "serving/load/arrivals.h"

namespace tacho::load {

// Parses a recorded load: either one time in seconds per line, ascending, starting at the first; or
// lines "SECONDS,REQUESTS_PER_S", where each rate holds until the next line's time and the last
// line only marks the end. Empty lines and lines that begin with # are ignored.
Result<ArrivalPlan> parse_replay(std::string_view text);
Result<ArrivalPlan> read_replay(const std::filesystem::path& file);

}  // namespace tacho::load
