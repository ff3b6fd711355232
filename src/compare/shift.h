#pragma once

#include <optional>
#include <span>

#include "record/statistics.h"

namespace tacho {

// By how much values lie apart: Hodges and Lehmann's estimate, and the interval of all shifts that
// a rank test would not reject. It covers as promised for any continuous distribution, where the
// percentile bootstrap of medians covers 88 to 98 % of few values (docs/compare.md).
//
// Ranks come in steps: exact intervals of six values cover 96.9 or 93.8 %, nothing between. The end
// is interpolated between the two steps around `level`. Where even the widest does not reach
// `level`, Student's t takes its place; where there are too few values for that, there is none.
struct Shift {
  double value = 0;
  std::optional<Interval> interval;
};

// Of differences within pairs: Walsh averages, Wilcoxon's signed ranks. At least one.
Shift paired_shift(std::span<const double> differences, double level);

// From the first sample to the second: differences of all pairs, Mann and Whitney's ranks. At least
// one value each.
Shift unpaired_shift(std::span<const double> first, std::span<const double> second, double level);

}  // namespace tacho
