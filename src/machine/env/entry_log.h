#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

#include "base/result.h"
#include "base/subprocess.h"

namespace tacho {

// The log that tacho-enter writes about a program.
struct EntryLog {
  struct End {
    double at = 0;  // seconds of the monotonic clock
    ExitStatus status;
    ChildUsage usage;
    std::int64_t out_of_memory_kills = 0;  // in its cgroup while it ran
  };
  std::optional<double> began;  // start of tacho-enter, by the same clock
  int not_started = 0;          // errno if the program could not be started
  std::optional<End> end;
};

// Reads as much as possible of a log whose writer was killed or that a program has overwritten.
EntryLog parse_entry_log(std::string_view text);
EntryLog read_entry_log(const std::filesystem::path& file);  // empty if the file does not exist

// Returns tacho-enter in the folder of this program. The error says how to get it.
Result<std::filesystem::path> find_enter_program();

}  // namespace tacho
