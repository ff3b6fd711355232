#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "record/usage.h"

namespace tacho {

// Processor time is counted in ticks of 10 ms for each process: over less than this there is no
// rate.
inline constexpr double kShortestInterval = 0.05;

// Cores in use between two looks; nothing where they are too near to each other. Ticks may be
// counted a look too late: `cores`, how many the run may use, is a bound where it is known (not 0).
inline std::optional<double> cores_between(const UsageSample& before, const UsageSample& now,
                                           std::int64_t cores) {
  const double seconds = now.unix_seconds - before.unix_seconds;
  if (!(seconds >= kShortestInterval)) return std::nullopt;
  const double used = now.user_s + now.system_s - before.user_s - before.system_s;
  const double rate = std::max(0.0, used / seconds);
  return cores > 0 ? std::min(rate, static_cast<double>(cores)) : rate;
}

}  // namespace tacho
