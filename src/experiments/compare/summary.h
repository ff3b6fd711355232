#pragma once

#include <string>
#include <vector>

#include "experiments/compare/comparison.h"

namespace tacho {

// Text that the terminal and HTML views share.

// Returns the number of runs, their design, their noise and the reason to stop, one line each.
std::vector<std::string> summary_lines(const Comparison& comparison);

// Returns the first variant of each group.
std::vector<std::size_t> bases_of(const Comparison& comparison);

// Returns the formatted median, or "–" without values.
std::string typical_value(const Comparison& comparison, std::size_t variant,
                          const ComparedMetric& metric);

// Formats a share in percent with two significant figures: "4.2", "0.35", "120".
std::string short_percent(double share);

}  // namespace tacho
