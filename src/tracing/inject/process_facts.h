#pragma once

#include <cstdint>
#include <string>

#include "tracing/inject/cupti_api.h"

namespace tacho {

// The command line, words separated by spaces, truncated to 4096 bytes.
std::string command_line_of_this_process();

// Offset from CUPTI's times to Unix time in nanoseconds.
std::int64_t cupti_to_unix_ns(const CuptiApi& api);

}  // namespace tacho
