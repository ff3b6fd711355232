#pragma once

#include <cstdint>
#include <string>

#include "inject/cupti_api.h"

namespace tacho {

// The command line, words separated by spaces, at most a few thousand bytes of it.
std::string command_line_of_this_process();

// What to add to CUPTI's times to get nanoseconds since 1970.
std::int64_t cupti_to_unix_ns(const CuptiApi& api);

}  // namespace tacho
