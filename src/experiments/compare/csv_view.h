#pragma once

#include <string>

#include "experiments/compare/comparison.h"

namespace tacho {

// Writes one line per finding: medians, ratio, interval, p, verdict.
std::string findings_csv(const Comparison& comparison);
// Writes one line per value of each run, warm-up runs included.
std::string values_csv(const Comparison& comparison);

}  // namespace tacho
