#include "experiments/study/chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "experiments/compare/summary.h"
#include "tracing/report/svg.h"

namespace tacho {

// Follows the system's light or dark mode, also in a picture opened by itself.
const std::string_view kChartStyle = R"css(
.chart-picture { --ink: #1c2126; --soft: #5c6670; --rule: #dfe3e6; --mark: #2b6cb0;
  --good: #21743f; --bad: #b3261e; --unclear: #8a4b08;
  --s0: #2b6cb0; --s1: #c05621; --s2: #2f855a; --s3: #805ad5; --s4: #b83280; --s5: #718096;
  max-width: 100%; height: auto; display: block; }
@media (prefers-color-scheme: dark) { .chart-picture { --ink: #e7eaed; --soft: #a2acb5;
  --rule: #343a40; --mark: #6db1f2; --good: #6fcf8d; --bad: #ff8a80; --unclear: #f0b46c;
  --s0: #6db1f2; --s1: #f6ad7b; --s2: #7fd1a0; --s3: #b794f4; --s4: #f687b3; --s5: #cbd5e0; } }
.chart-picture text { font: 13px system-ui, sans-serif; fill: var(--ink); }
.chart-picture .c-soft { fill: var(--soft); } .chart-picture .c-head { font-weight: 600; }
.chart-picture .c-end { text-anchor: end; } .chart-picture .c-mid { text-anchor: middle; }
.chart-picture .c-good { fill: var(--good); } .chart-picture .c-bad { fill: var(--bad); }
.chart-picture .c-unclear { fill: var(--unclear); }
.chart-picture path { fill: none; stroke: var(--rule); stroke-width: 1; }
.chart-picture .c-mark { stroke: var(--mark); stroke-width: 2; fill: none; }
.chart-picture circle.c-mark { fill: var(--mark); stroke: none; }
.chart-picture .c-axis { stroke: var(--soft); } .chart-picture .c-band { fill: var(--rule); }
.chart-picture path.c-thin { stroke: var(--mark); opacity: .45; }
.chart-picture .c-s0 { --c: var(--s0); } .chart-picture .c-s1 { --c: var(--s1); }
.chart-picture .c-s2 { --c: var(--s2); } .chart-picture .c-s3 { --c: var(--s3); }
.chart-picture .c-s4 { --c: var(--s4); } .chart-picture .c-s5 { --c: var(--s5); }
.chart-picture path.c-line { stroke: var(--c); stroke-width: 2.2; stroke-linejoin: round; }
.chart-picture circle.c-line { fill: var(--c); } .chart-picture text.c-line { fill: var(--c); }
)css";

namespace {

constexpr double kWidth = 760;

std::string_view class_of(IntervalChart::Tone tone) {
  switch (tone) {
    case IntervalChart::Tone::good:
      return "c-good";
    case IntervalChart::Tone::bad:
      return "c-bad";
    case IntervalChart::Tone::unclear:
      return "c-unclear";
    case IntervalChart::Tone::plain:
      break;
  }
  return "c-plain";
}

std::string percent_text(double share) { return short_percent(share) + " %"; }

std::string draw(const IntervalChart& chart) {
  constexpr double kRow = 24;
  constexpr double kValueEnd = 215;
  constexpr double kLeft = 230;
  constexpr double kRight = 480;
  constexpr double kMiddle = (kLeft + kRight) / 2;
  const double half = (kRight - kLeft) / 2;
  const auto place = [&](double ratio) {
    return kMiddle + std::clamp((ratio - 1) / chart.reach, -1.0, 1.0) * half;
  };
  const double bottom = kRow * static_cast<double>(chart.rows.size()) + 6;
  const double band = half * std::min(1.0, chart.resolution / chart.reach);
  std::string out = svg_box({kMiddle - band, 0}, 2 * band, bottom, "c-band") +
                    svg_line({kMiddle, 0}, {kMiddle, bottom}, "c-axis");
  double y = kRow;
  for (const IntervalChart::Row& row : chart.rows) {
    out +=
        svg_text({row.heading ? 0.0 : 14.0, y - 6}, row.heading ? "c-head" : "c-plain", row.name) +
        svg_text({kValueEnd, y - 6}, "c-end", row.value);
    if (row.interval) {
      const double low = place(row.interval->low);
      const double high = place(row.interval->high);
      out += svg_line({low, y - 10}, {high, y - 10}, "c-mark") +
             svg_line({low, y - 14}, {low, y - 6}, "c-mark") +
             svg_line({high, y - 14}, {high, y - 6}, "c-mark");
    }
    if (row.ratio) out += svg_dot({place(*row.ratio), y - 10}, 4.5, "c-mark", row.words);
    out += svg_text({kRight + 14, y - 6}, class_of(row.tone), row.words);
    y += kRow;
  }
  out += svg_text({kLeft, bottom + 14}, "c-soft", "−" + percent_text(chart.reach)) +
         svg_text({kRight, bottom + 14}, "c-soft c-end", "+" + percent_text(chart.reach));
  return svg_picture(kWidth, bottom + 22, kChartClass, chart.title, out);
}

// Returns the smallest 1, 2 or 5 times a power of ten that is not below `value`.
double rounded_up(double value) {
  if (value <= 0) return 1;
  const double power = std::pow(10, std::floor(std::log10(value)));
  for (const double step : {1.0, 2.0, 2.5, 5.0}) {
    if (value <= step * power * (1 + 1e-9)) return step * power;
  }
  return 10 * power;
}

std::string value_text(Unit unit, double value) {
  return human(Metric{.key = "", .unit = unit, .better = Better::neither, .title = "", .help = ""},
               value);
}

std::string draw(const LinesChart& chart) {
  constexpr double kLeft = 90;
  constexpr double kRight = 560;
  constexpr double kTop = 10;
  constexpr double kBottom = 230;
  constexpr std::size_t kColours = 6;
  std::set<double> across;
  double highest = 0;
  for (const LinesChart::Line& line : chart.lines) {
    for (const LinesChart::Point& point : line.points) {
      across.insert(point.x);
      highest = std::max(highest, point.y);
    }
  }
  if (across.empty()) return "";
  const bool logarithmic = *across.begin() > 0;
  const auto scaled = [&](double x) { return logarithmic ? std::log(x) : x; };
  const double first = scaled(*across.begin());
  const double width = std::max(scaled(*across.rbegin()) - first, 1e-12);
  const double top = 4 * rounded_up(highest / 4);
  const auto place = [&](double x, double y) {
    return SvgPlace{kLeft + (scaled(x) - first) / width * (kRight - kLeft),
                    kBottom - y / top * (kBottom - kTop)};
  };
  std::string out;
  for (int i = 0; i <= 4; ++i) {
    const double y = top * i / 4;
    const double at = place(*across.begin(), y).y;
    out += svg_line({kLeft, at}, {kRight, at}, i == 0 ? "c-axis" : "c-grid") +
           svg_text({kLeft - 8, at + 4}, "c-soft c-end", value_text(chart.unit, y));
  }
  for (const double x : across) {
    out += svg_text({place(x, 0).x, kBottom + 18}, "c-soft c-mid", fmt::format("{:g}", x));
  }
  out += svg_text({(kLeft + kRight) / 2, kBottom + 36}, "c-soft c-mid", chart.x_title);
  for (std::size_t i = 0; i < chart.lines.size(); ++i) {
    const LinesChart::Line& line = chart.lines[i];
    const std::string style = fmt::format("c-line c-s{}", i % kColours);
    std::vector<SvgPlace> places;
    std::string dots;
    for (const LinesChart::Point& point : line.points) {
      const SvgPlace at = place(point.x, point.y);
      places.push_back(at);
      dots += svg_dot(at, 3.5, style,
                      fmt::format("{}, {} {:g}: {}", line.name, chart.x_title, point.x,
                                  value_text(chart.unit, point.y)));
    }
    out += svg_line(places, style) + dots +
           svg_text({kRight + 24, kTop + 14 + 20 * static_cast<double>(i)}, style, line.name);
  }
  const double legend = kTop + 20 * static_cast<double>(chart.lines.size()) + 10;
  return svg_picture(kWidth, std::max(kBottom + 46, legend), kChartClass, chart.title, out);
}

std::string draw(const ScatterChart& chart) {
  constexpr double kLeft = 90;
  constexpr double kTop = 10;
  constexpr double kSide = 330;
  if (chart.points.empty()) return "";
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  for (const ScatterChart::Point& point : chart.points) {
    low = std::min({low, point.measured, point.predicted});
    high = std::max({high, point.measured, point.predicted});
  }
  const auto scaled = [&](double x) {
    return chart.logarithmic ? std::log(std::max(x, 1e-12)) : x;
  };
  const double room = std::max(0.06 * (scaled(high) - scaled(low)), 1e-6);
  const double begin = scaled(low) - room;
  const double width = scaled(high) + room - begin;
  const auto share = [&](double x) { return std::clamp((scaled(x) - begin) / width, 0.0, 1.0); };
  const auto place = [&](double x, double y) {
    return SvgPlace{kLeft + share(x) * kSide, kTop + (1 - share(y)) * kSide};
  };
  const SvgPlace corner{kLeft, kTop + kSide};
  std::string out = svg_line(corner, {kLeft + kSide, kTop}, "c-axis") +
                    svg_line(corner, {kLeft + kSide, kTop + kSide}, "c-axis") +
                    svg_line(corner, {kLeft, kTop}, "c-axis");
  for (const ScatterChart::Point& point : chart.points) {
    out += svg_line(place(point.measured, point.low), place(point.measured, point.high), "c-thin");
  }
  for (const ScatterChart::Point& point : chart.points) {
    out += svg_dot(place(point.measured, point.predicted), 3.5, "c-mark", point.name);
  }
  for (const double value : {low, high}) {
    const std::string text = value_text(chart.unit, value);
    out += svg_text({place(value, low).x, kTop + kSide + 18}, "c-soft c-mid", text) +
           svg_text({kLeft - 8, place(low, value).y + 4}, "c-soft c-end", text);
  }
  out += svg_text({kLeft + kSide / 2, kTop + kSide + 36}, "c-soft c-mid", "measured") +
         svg_text({kLeft + 10, kTop + 12}, "c-soft", "predicted, with its 90 % interval");
  return svg_picture(kLeft + kSide + 40, kTop + kSide + 46, kChartClass, chart.title, out);
}

}  // namespace

const std::string& title_of(const Chart& chart) {
  return std::visit([](const auto& one) -> const std::string& { return one.title; }, chart);
}

std::string chart_svg(const Chart& chart) {
  return std::visit([](const auto& one) { return draw(one); }, chart);
}

std::string chart_file(const Chart& chart) {
  std::string svg = chart_svg(chart);
  const std::size_t inside = svg.find('>');
  if (inside == std::string::npos) return "";
  svg.insert(inside + 1, fmt::format("<style>{}</style>", kChartStyle));
  return svg + "\n";
}

}  // namespace tacho
