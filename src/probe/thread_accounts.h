#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/usage.h"

namespace tacho {

// What the threads of some processes have computed, and how often they gave up or lost the
// processor: the system tells of both by thread only. What a thread did after the last look at it
// is not known, so a look costs and tells little; one a second is plenty.
class ThreadAccounts {
 public:
  struct Switches {
    std::int64_t voluntary = 0;
    std::int64_t involuntary = 0;
  };

  // `task` is the process's folder of threads.
  void look(std::int64_t process, const std::filesystem::path& task);
  // The process has ended; what its threads did stays.
  void ended(std::int64_t process);

  [[nodiscard]] std::vector<ThreadUsage> busiest(std::size_t most) const;
  [[nodiscard]] Switches switches() const;
  // How long all waited for a processor, ready to compute; nothing where the kernel does not count.
  [[nodiscard]] std::optional<double> waited_s() const;

 private:
  struct Thread {
    std::int64_t start_ticks = 0;
    ThreadUsage usage;
    Switches switches;
  };
  using Threads = std::map<std::int64_t, Thread>;  // by their id
  void bury(const Thread& thread);

  std::map<std::int64_t, Threads> living_;  // by process
  std::vector<ThreadUsage> ended_;
  Switches ended_switches_;
  std::optional<double> ended_waited_s_;
  std::string text_;
};

}  // namespace tacho
