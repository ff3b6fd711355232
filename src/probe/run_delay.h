#pragma once

#include <filesystem>
#include <optional>
#include <string_view>

namespace tacho {

// How long threads computed, and how long they were ready to and waited for a processor.
struct RunDelay {
  double ran_s = 0;
  double waited_s = 0;

  // The part of the wanted processor time that was spent waiting; 0 if none was wanted.
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

// A thread's file `schedstat`: "1234567 89012 34", nanoseconds and a count. Nothing if the text is
// not of that form.
std::optional<RunDelay> parse_schedstat(std::string_view text);

// The sum over the living threads of a process; `task` is its folder of threads. Nothing where the
// kernel does not count (CONFIG_SCHED_INFO).
std::optional<RunDelay> run_delay_of(const std::filesystem::path& task);

}  // namespace tacho
