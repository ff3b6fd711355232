#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace tacho {

// The file `stat` of a process or thread in /proc. Times are in clock ticks.
struct ProcStat {
  std::int64_t pid = 0;
  std::string name;  // any bytes except 0, including spaces and parentheses
  char state = '?';
  std::int64_t parent = 0;
  std::int64_t group = 0;
  std::int64_t session = 0;
  std::int64_t minor_faults = 0;
  std::int64_t children_minor_faults = 0;  // of children that were waited for, recursively
  std::int64_t major_faults = 0;
  std::int64_t children_major_faults = 0;
  std::int64_t user_ticks = 0;
  std::int64_t system_ticks = 0;
  std::int64_t children_user_ticks = 0;
  std::int64_t children_system_ticks = 0;
  std::int64_t threads = 0;
  std::int64_t start_ticks = 0;  // together with the pid, unique since boot
  std::int64_t resident_pages = 0;

  // True for a zombie, whose parent has not waited for it yet.
  [[nodiscard]] bool ended() const { return state == 'Z' || state == 'X'; }
};

// Returns nothing if the text has another form.
std::optional<ProcStat> parse_proc_stat(std::string_view text);

// The file `io` of a process in /proc; includes the children it waited for.
struct ProcIo {
  std::int64_t read_chars = 0;
  std::int64_t write_chars = 0;
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
};
std::optional<ProcIo> parse_proc_io(std::string_view text);

}  // namespace tacho
