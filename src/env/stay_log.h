#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/subprocess.h"

namespace tacho {

// What tacho-enter told of a program it started.
struct StayLog {
  struct End {
    double at = 0;  // seconds of the monotonic clock
    ExitStatus status;
    ChildUsage usage;
    std::int64_t out_of_memory_kills = 0;  // in its cgroup, meanwhile
  };
  std::optional<double> began;  // its own first moment, by the same clock
  int not_started = 0;          // errno of starting the program
  std::optional<End> end;
};

// A log whose writer was killed, or that a program inside has scribbled over, tells as much as can
// be read of it.
StayLog parse_stay_log(std::string_view text);
StayLog read_stay_log(const std::filesystem::path& file);  // not there: nothing yet

// tacho-enter beside this program. An error says how to get it.
Result<std::filesystem::path> find_enter_program();

}  // namespace tacho
