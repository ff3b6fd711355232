#pragma once

#include <cstdint>
#include <string_view>

#include "base/result.h"

namespace tacho {

// A process that starts `tacho` in the background learns over a pipe what was started, or why
// nothing was: one line of JSON, {"run": 12} or {"error": "…"}. The variable names the descriptor
// of the pipe's write end.
inline constexpr const char* kStartReportVariable = "TACHO_START_REPORT_FD";

// Takes the descriptor from the environment, so that no child inherits it. Call once, in main().
void take_start_report();
// Only the first report is sent. Both do nothing if nobody asked.
void report_started(std::string_view kind, std::int64_t id);
void report_start_error(const Error& error);

}  // namespace tacho
