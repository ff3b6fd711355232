#pragma once

#include <cstdint>
#include <functional>
#include <string_view>

namespace tacho {

// How far a long piece of work has come.
struct Progress {
  enum class Unit { bytes, files };
  std::string_view what;  // the archive or folder under way
  std::int64_t done = 0;
  std::int64_t total = 0;
  std::int64_t found = 0;  // of `done`: made by an earlier attempt, so it says nothing of the speed
  Unit unit = Unit::bytes;
};

// Who looks on while it goes, and may end it. Both are asked at every file; what is slow is theirs
// to do less often.
struct Watch {
  std::function<void(const Progress&)> progress = {};
  std::function<bool()> stopped = {};

  void tell(const Progress& now) const {
    if (progress) progress(now);
  }
  [[nodiscard]] bool should_stop() const { return stopped && stopped(); }
};

}  // namespace tacho
