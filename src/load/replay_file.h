#pragma once

#include <filesystem>
#include <string_view>

#include "base/result.h"
#include "load/arrivals.h"

namespace tacho::load {

// A recorded load. Either a moment in seconds a line, ascending, the first of them the start; or
// "SECONDS,REQUESTS_PER_S" a line, where each rate holds until the next line's moment and the last
// line only says when it ends. Empty lines and those that begin with # say nothing.
Result<ArrivalPlan> parse_replay(std::string_view text);
Result<ArrivalPlan> read_replay(const std::filesystem::path& file);

}  // namespace tacho::load
