#pragma once

#include <string>

#include "base/terminal.h"
#include "experiments/compare/comparison.h"

namespace tacho {

// Prints a section per metric for a terminal of 80 columns: the median of each variant, its
// interval as a bar on a common axis, and the finding.
std::string comparison_text(const Comparison& comparison, const Terminal& terminal);

// Draws an interval between −reach and +reach in an odd number of columns: "  │ ├─●──┤ ".
std::string interval_bar(const std::optional<Ratio>& ratio, double reach, std::size_t columns);

}  // namespace tacho
