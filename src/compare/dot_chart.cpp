#include "compare/dot_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/html_text.h"

namespace tacho {
namespace {

constexpr double kRowWidth = 1000;
constexpr double kRowHeight = 40;
constexpr double kMargin = 20;  // room for the size of a dot at both ends

double across(double value, double low, double high) {
  const double share = high > low ? (value - low) / (high - low) : 0.5;
  return kMargin + std::clamp(share, 0.0, 1.0) * (kRowWidth - 2 * kMargin);
}

std::string open_row(std::string_view label) {
  return fmt::format(
      "<svg class=\"row\" viewBox=\"0 0 {:.0f} {:.0f}\" preserveAspectRatio=\"none\" role=\"img\" "
      "aria-label=\"{}\">",
      kRowWidth, kRowHeight, label);
}

std::string upright(std::string_view name, double x, double top, double bottom) {
  return fmt::format("<path class=\"{}\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>", name, x, top, bottom);
}

}  // namespace

std::string dot_row(const std::vector<Dot>& dots, double low, double high) {
  // Neighbours have different heights, so that equal values stay visible.
  static constexpr std::array kHeights = {20.0, 12.0, 28.0, 16.0, 24.0};
  std::string out = open_row("runs");
  std::vector<double> values;
  for (const Dot& dot : dots) {
    out += fmt::format("<path class=\"dot\" d=\"M{:.1f} {:.1f}h0.01\"><title>{}</title></path>",
                       across(dot.value, low, high), kHeights[values.size() % kHeights.size()],
                       html_text(dot.title));
    values.push_back(dot.value);
  }
  if (!values.empty()) out += upright("median", across(median(values), low, high), 4, 36);
  return out + "</svg>";
}

std::string interval_row(const std::optional<Ratio>& ratio, double reach, double resolution) {
  const auto place = [reach](double value) { return across(value, 1 - reach, 1 + reach); };
  const double from = place(1 - resolution);
  std::string out = open_row("interval of the ratio");
  out +=
      fmt::format("<rect class=\"band\" x=\"{:.1f}\" y=\"0\" width=\"{:.1f}\" height=\"{:.0f}\"/>",
                  from, place(1 + resolution) - from, kRowHeight);
  out += upright("zero", place(1), 0, kRowHeight);
  if (ratio && ratio->interval) {
    const double low = place(ratio->interval->low);
    const double high = place(ratio->interval->high);
    out += fmt::format("<path class=\"interval\" d=\"M{:.1f} 20H{:.1f}\"/>", low, high);
    out += upright("interval", low, 13, 27) + upright("interval", high, 13, 27);
  }
  if (ratio) {
    out += fmt::format("<path class=\"estimate\" d=\"M{:.1f} 20h0.01\"/>", place(ratio->value));
  }
  return out + "</svg>";
}

}  // namespace tacho
