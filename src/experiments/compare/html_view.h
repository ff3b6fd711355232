#pragma once

#include <string>

#include "experiments/compare/comparison.h"

namespace tacho {

// Writes one file that needs no network: for each metric the runs of each variant as dots, next to
// them the interval of its ratio on a common axis, and the finding.
std::string comparison_html(const Comparison& comparison);

}  // namespace tacho
