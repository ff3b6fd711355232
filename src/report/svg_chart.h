#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "report/roofline.h"
#include "report/step_picture.h"

namespace tacho {

// Pictures as SVG inside HTML. They stretch to the width they get; lines keep their thickness, and
// all text is HTML around them, so it stays readable on a telephone.

// The parts of a step side by side. Colours are the style's classes "part-KEY".
std::string parts_bar(const std::vector<StepPart>& parts);

struct LineChart {
  std::string_view title;
  std::vector<double> x;
  std::vector<double> y;
  std::string x_low, x_high;  // what stands at the ends of the axis
  std::string y_high;         // … and at its top; the bottom is 0
  double y_top = 0;           // 0: the highest value, with a little room
  std::string now;            // beside the title: "median 18.3 ms"
};
// "" where there are fewer than two points.
std::string line_chart(const LineChart& chart);

// Work against the machine's roof, both axes logarithmic; points are numbered as in the table.
std::string roofline_chart(const Roofline& roof, std::size_t points);

}  // namespace tacho
