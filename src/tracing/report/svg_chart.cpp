#include "tracing/report/svg_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/units.h"
#include "tracing/report/html_text.h"
#include "tracing/report/svg.h"

namespace tacho {
namespace {

constexpr double kWidth = 1000;
constexpr double kHeight = 200;
constexpr std::size_t kMostPoints = 1200;

// Keeps the lowest and the highest point of each of a few hundred intervals, so no spike is lost.
std::vector<SvgPlace> thinned(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<SvgPlace> points;
  const std::size_t n = std::min(x.size(), y.size());
  const std::size_t pieces = n <= kMostPoints ? n : kMostPoints / 2;
  for (std::size_t piece = 0; piece < pieces; ++piece) {
    const std::size_t begin = piece * n / pieces;
    const std::size_t end = (piece + 1) * n / pieces;
    const auto [low, high] = std::minmax_element(y.begin() + static_cast<std::ptrdiff_t>(begin),
                                                 y.begin() + static_cast<std::ptrdiff_t>(end));
    const auto first = static_cast<std::size_t>(std::min(low, high) - y.begin());
    const auto second = static_cast<std::size_t>(std::max(low, high) - y.begin());
    points.push_back({x[first], y[first]});
    if (second != first) points.push_back({x[second], y[second]});
  }
  return points;
}

std::string grid_lines() {
  std::string out;
  for (const double share : {0.25, 0.5, 0.75}) {
    out += svg_line({0, kHeight * share}, {kWidth, kHeight * share}, "grid");
  }
  return out;
}

// Logarithmic axes of a roofline: whole decades around the points and the ridge.
struct Window {
  double low_x, high_x, low_y, high_y;

  [[nodiscard]] SvgPlace place(double x, double y) const {
    const double across = (std::log10(x) - low_x) / (high_x - low_x);
    const double up = (std::log10(y) - low_y) / (high_y - low_y);
    return {std::clamp(across, 0.0, 1.0) * kWidth, (1 - std::clamp(up, 0.0, 1.0)) * kHeight};
  }
};

Window window_of(const Roofline& roof, const std::vector<RooflinePoint>& points) {
  const double ridge = roof.peak_flops / roof.peak_bytes_per_s;
  double low_x = ridge / 10;
  double high_x = ridge * 10;
  double low_y = roof.peak_flops / 100;
  for (const RooflinePoint& point : points) {
    low_x = std::min(low_x, point.intensity);
    high_x = std::max(high_x, point.intensity);
    low_y = std::min(low_y, point.flops_per_s);
  }
  low_y = std::min(low_y, roof.peak_bytes_per_s * low_x);
  return {std::floor(std::log10(low_x)), std::ceil(std::log10(high_x)),
          std::floor(std::log10(low_y)), std::ceil(std::log10(roof.peak_flops * 1.2))};
}

std::string roof_line(const Roofline& roof, const Window& window) {
  const double ridge = roof.peak_flops / roof.peak_bytes_per_s;
  const double first = std::pow(10, window.low_x);
  const SvgPlace a = window.place(first, first * roof.peak_bytes_per_s);
  const SvgPlace b = window.place(ridge, roof.peak_flops);
  return svg_line(std::array{a, b, SvgPlace{kWidth, b.y}}, "roof");
}

std::string power(double exponent) { return fmt::format("1e{:.0f}", exponent); }

}  // namespace

std::string parts_bar(const std::vector<StepPart>& parts) {
  constexpr double kBarHeight = 40;
  std::string out;
  double at = 0;
  for (const StepPart& part : parts) {
    const double width = std::min(part.share, 1.0) * kWidth;
    out += svg_box({at, 0}, width, kBarHeight, fmt::format("part-{}", part.key),
                   fmt::format("{} {} ({})", part.title, human(Seconds(part.seconds)),
                               human_share(part.share)));
    at += width;
  }
  return svg_stretched(kWidth, kBarHeight, "bar", "parts of a step", out) + "\n";
}

std::string line_chart(const LineChart& chart) {
  auto points = thinned(chart.x, chart.y);
  if (points.size() < 2 || chart.x.back() <= chart.x.front()) return "";
  double top = chart.y_top;
  if (top <= 0) {
    for (const SvgPlace& point : points) top = std::max(top, point.y * 1.05);
  }
  if (top <= 0) top = 1;
  for (SvgPlace& point : points) {
    const double across = (point.x - chart.x.front()) / (chart.x.back() - chart.x.front());
    const double up = std::clamp(point.y / top, 0.0, 1.0);
    point = {across * kWidth, (1 - up) * kHeight};
  }
  return fmt::format(
      "<figure class=\"chart\"><figcaption><b>{}</b> <span>{}</span></figcaption>"
      "<span class=\"top\">{}</span><div class=\"plot\">{}"
      "</div><div class=\"axis\"><span>{}</span><span>{}</span></div></figure>\n",
      html_text(chart.title), html_text(chart.now), html_text(chart.y_high),
      svg_stretched(kWidth, kHeight, "lines", chart.title, grid_lines() + svg_line(points, "line")),
      html_text(chart.x_low), html_text(chart.x_high));
}

std::string roofline_chart(const Roofline& roof, std::size_t most) {
  std::vector<RooflinePoint> points;
  for (const RooflinePoint& point : roof.points) {
    if (points.size() < most && point.intensity > 0 && point.flops_per_s > 0)
      points.push_back(point);
  }
  if (points.empty()) return "";
  const Window window = window_of(roof, points);
  std::string marks;
  std::string labels;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const SvgPlace at = window.place(points[i].intensity, points[i].flops_per_s);
    marks += svg_stretched_dot(
        at, "dot", fmt::format("{}: {}", points[i].name, human_share(points[i].reached)));
    labels += fmt::format(
        "<span class=\"mark\" style=\"left:{:.1f}%;top:{:.1f}%\" title=\"{}\">{}</span>",
        100 * at.x / kWidth, 100 * at.y / kHeight, html_text(points[i].name), i + 1);
  }
  std::string names;
  for (const RooflinePoint& point : points) names += "<li>" + html_text(point.name) + "</li>";
  return fmt::format(
      "<figure class=\"chart wide\"><figcaption><b>Roofline</b> <span>{}: {:.4g} GFLOP/s, {:.4g} "
      "GB/s</span></figcaption><span class=\"top\">{} FLOP/s</span><div class=\"plot tall\">{}"
      "{}</div><div class=\"axis\"><span>{}</span><span>FLOPs per byte</span><span>{}</span>"
      "</div><ol class=\"names\">{}</ol></figure>\n",
      html_text(roof.machine), roof.peak_flops / 1e9, roof.peak_bytes_per_s / 1e9,
      power(window.high_y),
      svg_stretched(kWidth, kHeight, "lines", "roofline", roof_line(roof, window) + marks), labels,
      power(window.low_x), power(window.high_x), names);
}

}  // namespace tacho
