#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/record/metric.h"
#include "core/record/statistics.h"

namespace tacho {

// Ratios with their intervals on one axis, around the band of the resolution.
struct IntervalChart {
  enum class Tone { plain, good, bad, unclear };
  struct Row {
    std::string name;
    std::string value;  // the measured value, formatted
    std::optional<double> ratio = {};
    std::optional<Interval> interval = {};
    std::string words = {};
    Tone tone = Tone::plain;
    bool heading = false;  // a heading for the rows below it
  };
  std::string title;
  double reach = 0.01;  // distance from 1 to each end of the axis
  double resolution = 0.01;
  std::vector<Row> rows;
};

// Lines over the values of an option, on a logarithmic axis.
struct LinesChart {
  struct Point {
    double x = 0;
    double y = 0;
  };
  struct Line {
    std::string name;
    std::vector<Point> points;  // by x
  };
  std::string title;
  std::string x_title;
  Unit unit = Unit::none;  // of y
  std::vector<Line> lines;
};

// Predicted over measured values; exact predictions are on the diagonal.
struct ScatterChart {
  struct Point {
    double measured = 0;
    double predicted = 0;
    double low = 0;
    double high = 0;
    std::string name;  // the tooltip
  };
  std::string title;
  Unit unit = Unit::none;
  bool logarithmic = true;
  std::vector<Point> points;
};

using Chart = std::variant<IntervalChart, LinesChart, ScatterChart>;

const std::string& title_of(const Chart& chart);

// For an HTML page that contains kChartStyle.
std::string chart_svg(const Chart& chart);
inline constexpr std::string_view kChartClass = "chart-picture";
extern const std::string_view kChartStyle;

// For a separate file that any page can show.
std::string chart_file(const Chart& chart);

}  // namespace tacho
