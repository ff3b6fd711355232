#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "core/record/usage.h"

namespace tacho {

// CPU time is counted in ticks of 10 ms per process: rates need at least this interval.
inline constexpr double kShortestInterval = 0.05;

// Returns the cores in use between two samples; nothing if they are too close together. Ticks may
// be counted one sample too late, so the result is limited to `cores`, the number available to the
// run (0: unknown).
inline std::optional<double> cores_between(const UsageSample& before, const UsageSample& now,
                                           std::int64_t cores) {
  const double seconds = now.unix_seconds - before.unix_seconds;
  if (!(seconds >= kShortestInterval)) return std::nullopt;
  const double used = now.user_s + now.system_s - before.user_s - before.system_s;
  const double rate = std::max(0.0, used / seconds);
  return cores > 0 ? std::min(rate, static_cast<double>(cores)) : rate;
}

}  // namespace tacho
