#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace tacho {

using Seconds = std::chrono::duration<double>;

struct Bytes {
  std::int64_t count = 0;
  auto operator<=>(const Bytes&) const = default;
};

// These functions format values for people: at most four significant digits, always with a unit.
std::string human(Bytes bytes);            // "1.50 GiB"
std::string human(Seconds duration);       // "57.3 ms", "1 min 12 s"
std::string human_count(double count);     // "60,000"
std::string human_share(double fraction);  // "85.3 %"

// Formats the remaining time on a progress line: "0:42", "1:07:05".
std::string human_clock(Seconds duration);

// ISO 8601 in UTC, to the millisecond: "2026-11-15T04:27:36.123Z".
std::string utc_text(std::chrono::system_clock::time_point time);

}  // namespace tacho
