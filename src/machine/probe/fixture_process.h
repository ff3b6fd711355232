#pragma once

#include <fmt/format.h>
#include <unistd.h>

#include <cstdint>
#include <filesystem>
#include <string>

#include "machine/probe/fixture_root.h"

namespace tacho {

// A process in the /proc of a FixtureRoot, for tests.
struct FixtureProcess {
  std::int64_t pid = 0;
  std::int64_t parent = 1;
  std::string name = "python3";
  char state = 'R';
  std::int64_t group = 0;
  std::int64_t session = 0;
  std::int64_t minor_faults = 10;
  std::int64_t children_minor_faults = 0;
  std::int64_t user_ticks = 0;
  std::int64_t system_ticks = 0;
  std::int64_t children_user_ticks = 0;
  std::int64_t threads = 1;
  std::int64_t start_ticks = 1000;
  std::int64_t resident_pages = 0;
  std::int64_t written = -1;  // bytes; -1: no file `io`
};

inline std::string stat_text(const FixtureProcess& p) {
  return fmt::format(
      "{} ({}) {} {} {} {} 0 -1 4194304 {} {} 2 1 {} {} {} 0 20 0 {} 0 {} 1000000 {} "
      "18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 0 0 0\n",
      p.pid, p.name, p.state, p.parent, p.group, p.session, p.minor_faults, p.children_minor_faults,
      p.user_ticks, p.system_ticks, p.children_user_ticks, p.threads, p.start_ticks,
      p.resident_pages);
}

inline void put(FixtureRoot& root, const FixtureProcess& p) {
  const auto folder = std::filesystem::path("proc") / std::to_string(p.pid);
  root.put(folder / "stat", stat_text(p));
  if (p.written < 0) return;
  root.put(folder / "io", fmt::format("rchar: {}\nwchar: {}\nsyscr: 1\nsyscw: 1\nread_bytes: {}\n"
                                      "write_bytes: {}\ncancelled_write_bytes: 0\n",
                                      3 * p.written, 2 * p.written, 4096, p.written));
}

inline void put_thread(FixtureRoot& root, const FixtureProcess& thread, std::int64_t process,
                       std::int64_t voluntary, std::int64_t involuntary) {
  const auto folder = fmt::format("proc/{}/task/{}/", process, thread.pid);
  root.put(folder + "stat", stat_text(thread));
  root.put(folder + "status",
           fmt::format("Name:\t{}\nvoluntary_ctxt_switches:\t{}\nnonvoluntary_ctxt_switches:\t{}\n",
                       thread.name, voluntary, involuntary));
}

inline void remove(FixtureRoot& root, std::int64_t pid) {
  const auto folder = std::filesystem::path("proc") / std::to_string(pid);
  root.put(folder / "stat", "");  // for readers that have it open
  std::filesystem::remove_all(root.path() / folder);
}

inline double seconds_of_ticks(std::int64_t ticks) {
  return static_cast<double>(ticks) / static_cast<double>(::sysconf(_SC_CLK_TCK));
}

}  // namespace tacho
