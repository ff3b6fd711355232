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

// The one call of the system behind hardware counters; a test hands its own in.
// A descriptor, or minus the number of the error.
using PerfOpen = std::function<int(perf_event_attr&, pid_t pid, int cpu)>;
int perf_open(perf_event_attr& event, pid_t pid, int cpu);

// Hardware counters of a process, its threads and its descendants: "cycles", "instructions" and
// "llc_misses", in user mode. And of the whole machine, where its memory controllers count and we
// may read them: "memory_read_bytes", "memory_write_bytes".
//
// The kernel hands a counter on to whatever the process starts from then on; so open it right
// after the program was started. What it did before, a millisecond of loading, is not counted.
class PerfCounters {
 public:
  static PerfCounters open(pid_t pid, const std::filesystem::path& root = "/",
                           const PerfOpen& open_event = perf_open);

  // Also after the process has ended. Never 0 for what could not be counted: that is left out.
  [[nodiscard]] std::map<std::string, double> read() const;
  // What cannot be counted, and why.
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
