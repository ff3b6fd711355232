#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/compare/ratio.h"

namespace tacho {

// Draws SVG that stretches to the available width, as in tracing/report/svg.h.

struct Dot {
  double value = 0;
  std::string title;  // the tooltip
};
// Draws each run as a dot between `low` and `high`, and the median as a line.
std::string dot_row(const std::vector<Dot>& dots, double low, double high);

// Draws the interval of a ratio between 1 − reach and 1 + reach, above the band of the resolution.
std::string interval_row(const std::optional<Ratio>& ratio, double reach, double resolution);

}  // namespace tacho
