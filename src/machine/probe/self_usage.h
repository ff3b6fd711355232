#pragma once

#include <cstdint>

#include "base/units.h"

namespace tacho {

// Resource usage of this process since its start, all threads together.
struct SelfUsage {
  Seconds user{};
  Seconds system{};
  Bytes peak_memory;  // resident
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
};
SelfUsage self_usage();

}  // namespace tacho
