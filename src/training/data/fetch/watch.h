#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace tacho {

// Progress of a long operation.
struct Progress {
  enum class Unit { bytes, files };
  std::string_view what;  // current archive or folder
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::int64_t found = 0;  // part of `done` from an earlier attempt, not to be used for the speed
  Unit unit = Unit::bytes;
};

// Callbacks that report progress and may stop the operation. Both are called for every file, so
// slow ones must limit themselves.
struct Watch {
  std::function<void(const Progress&)> progress = {};
  std::function<bool()> stopped = {};

  void tell(const Progress& now) const {
    if (progress) progress(now);
  }
  [[nodiscard]] bool should_stop() const { return stopped && stopped(); }
};

}  // namespace tacho
