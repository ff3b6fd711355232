#pragma once

#include <cstdint>

#include "base/units.h"

namespace tacho {

// What this process has used since it began, all its threads together.
struct SelfUsage {
  Seconds user{};
  Seconds system{};
  Bytes peak_memory;  // the most that was ever resident
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
};
SelfUsage self_usage();

}  // namespace tacho
