#pragma once

#include <string>

#include "compare/comparison.h"

namespace tacho {

// A line for each finding: medians, ratio, interval, p, verdict.
std::string findings_csv(const Comparison& comparison);
// A line for each value of each run, warm-up runs included.
std::string values_csv(const Comparison& comparison);

}  // namespace tacho
