#pragma once

#include <string>
#include <vector>

#include "compare/comparison.h"

namespace tacho {

// What text and HTML both say of a comparison.

// How many runs, how they were made, how much they scatter, why there are no more.
std::vector<std::string> summary_lines(const Comparison& comparison);

// The first variants of all groups.
std::vector<std::size_t> bases_of(const Comparison& comparison);

// The median as a person reads it, "–" where there is none.
std::string typical_value(const Comparison& comparison, std::size_t variant,
                          const ComparedMetric& metric);

// "4.2", "0.35", "120": of a share, two significant figures.
std::string short_percent(double share);

}  // namespace tacho
