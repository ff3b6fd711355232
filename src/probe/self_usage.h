#pragma once

#include "base/units.h"

namespace tacho {

// What this process has used since it began, all its threads together.
struct SelfUsage {
  Seconds user{};
  Seconds system{};
  Bytes peak_memory;  // the most that was ever resident
};
SelfUsage self_usage();

}  // namespace tacho
