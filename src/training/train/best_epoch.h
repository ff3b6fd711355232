#pragma once

#include <cmath>
#include <cstdint>

#include "core/record/run_spec.h"

namespace tacho {

// The epoch with the best evaluation so far: the first of equal ones.
struct BestEpoch {
  std::int64_t epoch = 0;  // 0: none yet
  double value = 0;        // its top-1 accuracy or its loss

  void add(std::int64_t done, BestBy by, double top1, double loss) {
    const double found = by == BestBy::top1 ? top1 : loss;
    const bool better = by == BestBy::top1 ? found > value : found < value;
    if (std::isfinite(found) && (epoch == 0 || better)) *this = {done, found};
  }
};

}  // namespace tacho
