#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tracing/report/roofline.h"
#include "tracing/report/step_breakdown.h"

namespace tacho {

// Charts as SVG inside HTML. They stretch to the available width; lines keep their thickness, and
// all text is HTML around them, so that it stays readable on a phone.

// A horizontal bar with the parts of a step. Colours come from the CSS classes "part-KEY".
std::string parts_bar(const std::vector<StepPart>& parts);

struct LineChart {
  std::string_view title;
  std::vector<double> x;
  std::vector<double> y;
  std::string x_low, x_high;  // labels at the ends of the x axis
  std::string y_high;         // label at the top of the y axis, which starts at 0
  double y_top = 0;           // 0: the highest value plus a margin
  std::string now;            // next to the title: "median 18.3 ms"
};
// Returns "" for fewer than two points.
std::string line_chart(const LineChart& chart);

// Operators or kernel classes under the machine's roofline, both axes logarithmic; points are
// numbered as in the table.
std::string roofline_chart(const Roofline& roof, std::size_t points);

}  // namespace tacho
