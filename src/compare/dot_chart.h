#pragma once

#include <optional>
#include <string>
#include <vector>

#include "compare/ratio.h"

namespace tacho {

// SVG that stretches to the width it gets, as in report/svg_chart.h.

struct Dot {
  double value = 0;
  std::string title;  // what the pointer shows
};
// Every run a dot between `low` and `high`, the median a line.
std::string dot_row(const std::vector<Dot>& dots, double low, double high);

// The interval of a ratio between 1 − reach and 1 + reach, above the band that does not matter.
std::string interval_row(const std::optional<Ratio>& ratio, double reach, double resolution);

}  // namespace tacho
