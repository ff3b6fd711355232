#pragma once

#include <string>

#include "base/terminal.h"
#include "compare/comparison.h"

namespace tacho {

// For a terminal of 80 columns: a part for each metric, each variant's median, its interval as a
// bar on the metric's axis, and the words.
std::string comparison_text(const Comparison& comparison, const Terminal& terminal);

// An interval between −reach and +reach in so many columns, an odd number: "  │ ├─●──┤ ".
std::string interval_bar(const std::optional<Ratio>& ratio, double reach, std::size_t columns);

}  // namespace tacho
