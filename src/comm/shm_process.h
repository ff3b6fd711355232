#pragma once

#include <cstdint>

namespace tacho {

// Names a process for good: numbers are given out again, but not with the same starting time.
struct ProcessMark {
  std::int32_t pid = 0;
  std::uint64_t started = 0;        // in clock ticks since boot; 0 where /proc cannot be read
  std::uint64_t pid_namespace = 0;  // numbers mean nothing outside of theirs

  static ProcessMark of_self();

  // A zombie is gone: it runs no more, whoever has yet to collect it.
  [[nodiscard]] bool is_gone() const;
};

}  // namespace tacho
