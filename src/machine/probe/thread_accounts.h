#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/record/usage.h"

namespace tacho {

// CPU time and context switches of the threads of some processes, which the system reports only per
// thread. Activity of a thread after its last sample is lost. One sample per second is enough.
class ThreadAccounts {
 public:
  struct Switches {
    std::int64_t voluntary = 0;
    std::int64_t involuntary = 0;
  };

  // Samples the threads of a process; `task` is its folder of threads.
  void look(std::int64_t process, const std::filesystem::path& task);
  // Marks a process as ended; the counts of its threads are kept.
  void ended(std::int64_t process);

  [[nodiscard]] std::vector<ThreadUsage> busiest(std::size_t most) const;
  [[nodiscard]] Switches switches() const;
  // Returns the total time for which runnable threads waited for a processor; nothing if the kernel
  // does not count it.
  [[nodiscard]] std::optional<double> waited_s() const;

 private:
  struct Thread {
    std::int64_t start_ticks = 0;
    ThreadUsage usage;
    Switches switches;
  };
  using Threads = std::map<std::int64_t, Thread>;  // by id
  void retire(const Thread& thread);

  std::map<std::int64_t, Threads> living_;  // by process
  std::vector<ThreadUsage> ended_;
  Switches ended_switches_;
  std::optional<double> ended_waited_s_;
  std::string text_;
};

}  // namespace tacho
