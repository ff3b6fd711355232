#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace tacho {

// The time for which threads ran, and for which they were runnable but waited for a processor.
struct RunDelay {
  double ran_s = 0;
  double waited_s = 0;

  // Returns the share of the requested CPU time spent waiting; 0 if none was requested.
  [[nodiscard]] double waited_share() const {
    const double wanted = ran_s + waited_s;
    return wanted > 0 ? waited_s / wanted : 0;
  }
  RunDelay& operator+=(const RunDelay& other);
  friend RunDelay operator-(const RunDelay& a, const RunDelay& b) {
    return {a.ran_s - b.ran_s, a.waited_s - b.waited_s};
  }
  bool operator==(const RunDelay&) const = default;
};

// Parses the file `schedstat` of a thread: "1234567 89012 34", nanoseconds and a count. Returns
// nothing if the text has another form.
std::optional<RunDelay> parse_schedstat(std::string_view text);

// Returns the sum over the live threads of a process; `task` is its folder of threads. Returns
// nothing if the kernel does not count (CONFIG_SCHED_INFO).
std::optional<RunDelay> run_delay_of(const std::filesystem::path& task);

}  // namespace tacho
