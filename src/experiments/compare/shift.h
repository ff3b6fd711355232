#pragma once

#include <optional>
#include <span>

#include "core/record/statistics.h"

namespace tacho {

// The difference between two samples: the Hodges–Lehmann estimate and the interval of all shifts
// that a rank test would not reject. Its coverage holds for any continuous distribution, whereas
// the percentile bootstrap of medians covers 88 to 98 % with few values (docs/compare.md).
//
// Rank statistics are discrete: exact intervals of six values cover 96.9 or 93.8 %, nothing
// between. The end is interpolated between the two steps around `level`. If the widest interval
// does not reach `level`, Student's t is used; with too few values for that, there is no interval.
struct Shift {
  double value = 0;
  std::optional<Interval> interval;
};

// From differences within pairs: Walsh averages, Wilcoxon signed ranks. Needs at least one.
Shift paired_shift(std::span<const double> differences, double level);

// From the first sample to the second: differences of all pairs, Mann–Whitney ranks. Needs at least
// one value each.
Shift unpaired_shift(std::span<const double> first, std::span<const double> second, double level);

}  // namespace tacho
