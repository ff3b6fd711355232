#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tacho {

// A process or a thread, as its file `stat` in /proc has it. Times are in clock ticks.
struct ProcStat {
  std::int64_t pid = 0;
  std::string name;  // any bytes but 0, also spaces and parentheses
  char state = '?';
  std::int64_t parent = 0;
  std::int64_t group = 0;
  std::int64_t session = 0;
  std::int64_t minor_faults = 0;
  std::int64_t children_minor_faults = 0;  // of those that were waited for, and theirs
  std::int64_t major_faults = 0;
  std::int64_t children_major_faults = 0;
  std::int64_t user_ticks = 0;
  std::int64_t system_ticks = 0;
  std::int64_t children_user_ticks = 0;
  std::int64_t children_system_ticks = 0;
  std::int64_t threads = 0;
  std::int64_t start_ticks = 0;  // with the pid, unique since the machine started
  std::int64_t resident_pages = 0;

  // Nothing left but its entry, until its parent waits for it.
  [[nodiscard]] bool ended() const { return state == 'Z' || state == 'X'; }
};

// Nothing if the text is no such file's.
std::optional<ProcStat> parse_proc_stat(std::string_view text);

// What a process, and those it waited for, have read and written: its file `io`.
struct ProcIo {
  std::int64_t read_chars = 0;
  std::int64_t write_chars = 0;
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
};
std::optional<ProcIo> parse_proc_io(std::string_view text);

}  // namespace tacho
