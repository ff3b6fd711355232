#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "base/file.h"

struct perf_event_attr;

namespace tacho {

// The system call for hardware counters; tests pass their own function. Returns a descriptor, or
// the negative errno.
using PerfOpen = std::function<int(perf_event_attr&, pid_t pid, int cpu)>;
int perf_open(perf_event_attr& event, pid_t pid, int cpu);

// Hardware counters of a process, its threads and its descendants: "cycles", "instructions" and
// "llc_misses", in user mode. And of the whole machine, if its memory controllers have counters
// that we may read: "memory_read_bytes", "memory_write_bytes".
//
// Processes inherit a counter only if they are started after it was opened, so open it right after
// the program was started. The first millisecond of loading is not counted.
class PerfCounters {
 public:
  static PerfCounters open(pid_t pid, const std::filesystem::path& root = "/",
                           const PerfOpen& open_event = perf_open);

  // Can be called after the process has ended. Leaves out what could not be counted.
  [[nodiscard]] std::map<std::string, double> read() const;
  // The reasons by counter that is not available.
  [[nodiscard]] const std::map<std::string, std::string>& unavailable() const {
    return unavailable_;
  }

 private:
  struct Counter {
    std::string name;
    UniqueFd fd;
    double scale = 1;
  };
  std::vector<Counter> counters_;
  std::map<std::string, std::string> unavailable_;
};

}  // namespace tacho
