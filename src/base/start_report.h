#pragma once

#include <chrono>
#include <cstdint>
#include <string_view>

#include "base/file.h"
#include "base/result.h"
#include "base/subprocess.h"

namespace tacho {

// A process that starts `tacho` or `tacho-worker` in the background learns over a pipe what was
// started, or why nothing was: one line of JSON, {"run": 12} or {"error": "…"}. The variable names
// the descriptor of the pipe's write end.
inline constexpr const char* kStartReportVariable = "TACHO_START_REPORT_FD";

// Takes the descriptor from the environment, so that no child inherits it. Call once, in main().
void take_start_report();
// Only the first report is sent. Both do nothing if nobody asked.
void report_started(std::string_view kind, std::int64_t id);
void report_start_error(const Error& error);

// The reading end of that pipe.
class StartReportPipe {
 public:
  static Result<StartReportPipe> open();
  // Lets the program of a command report; start it, then call read().
  void add_to(Command& command) const;
  // Waits for the report and returns its number under the key `kind`. Fails with the reported
  // error, or if the program ended, the time is up or Ctrl-C was pressed.
  Result<std::int64_t> read(std::string_view kind, std::chrono::seconds timeout);

 private:
  UniqueFd reading_;
  UniqueFd writing_;
};

}  // namespace tacho
