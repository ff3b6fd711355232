#include "experiments/compare/dot_chart.h"

#include <algorithm>
#include <array>

#include "tracing/report/svg.h"

namespace tacho {
namespace {

constexpr double kRowWidth = 1000;
constexpr double kRowHeight = 40;
constexpr double kMargin = 20;  // room for the size of a dot at both ends

double across(double value, double low, double high) {
  const double share = high > low ? (value - low) / (high - low) : 0.5;
  return kMargin + std::clamp(share, 0.0, 1.0) * (kRowWidth - 2 * kMargin);
}

std::string row(std::string_view label, std::string_view inner) {
  return svg_stretched(kRowWidth, kRowHeight, "row", label, inner);
}

std::string upright(std::string_view style, double x, double top, double bottom) {
  return svg_line({x, top}, {x, bottom}, style);
}

}  // namespace

std::string dot_row(const std::vector<Dot>& dots, double low, double high) {
  // Neighbours have different heights, so that equal values stay visible.
  static constexpr std::array kHeights = {20.0, 12.0, 28.0, 16.0, 24.0};
  std::string out;
  std::vector<double> values;
  for (const Dot& dot : dots) {
    out +=
        svg_stretched_dot({across(dot.value, low, high), kHeights[values.size() % kHeights.size()]},
                          "dot", dot.title);
    values.push_back(dot.value);
  }
  if (!values.empty()) out += upright("median", across(median(values), low, high), 4, 36);
  return row("runs", out);
}

std::string interval_row(const std::optional<Ratio>& ratio, double reach, double resolution) {
  const auto place = [reach](double value) { return across(value, 1 - reach, 1 + reach); };
  const double from = place(1 - resolution);
  std::string out = svg_box({from, 0}, place(1 + resolution) - from, kRowHeight, "band") +
                    upright("zero", place(1), 0, kRowHeight);
  if (ratio && ratio->interval) {
    const double low = place(ratio->interval->low);
    const double high = place(ratio->interval->high);
    out += svg_line({low, 20}, {high, 20}, "interval") + upright("interval", low, 13, 27) +
           upright("interval", high, 13, 27);
  }
  if (ratio) out += svg_stretched_dot({place(ratio->value), 20}, "estimate");
  return row("interval of the ratio", out);
}

}  // namespace tacho
