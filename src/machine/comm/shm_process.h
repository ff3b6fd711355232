#pragma once

#include <cstdint>

namespace tacho {

// Identifies a process uniquely: pids are reused, but not with the same start time.
struct ProcessIdentity {
  std::int32_t pid = 0;
  std::uint64_t started = 0;        // in clock ticks since boot; 0 if /proc cannot be read
  std::uint64_t pid_namespace = 0;  // a pid is valid only in its namespace

  static ProcessIdentity of_self();

  // A zombie counts as gone.
  [[nodiscard]] bool is_gone() const;
};

}  // namespace tacho
