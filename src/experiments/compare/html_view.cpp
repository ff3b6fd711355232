#include "experiments/compare/html_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/version.h"
#include "experiments/compare/dot_chart.h"
#include "experiments/compare/summary.h"
#include "tracing/report/html_page.h"
#include "tracing/report/html_text.h"

namespace tacho {
namespace {

constexpr std::string_view kStyle = R"css(
.metric { margin: 0 0 12px; }
.metric h3 { margin: 0 0 .4rem; font-size: 1rem; } .metric h3 span { font-weight: 400; }
.rows { display: grid; grid-template-columns: minmax(90px, 150px) minmax(70px, 90px) 3fr 2fr
  minmax(210px, 290px); gap: 2px 14px; align-items: center; }
.rows .value { text-align: right; font-variant-numeric: tabular-nums; }
.row { height: 34px; } .rows .axis { align-self: start; }
.row .dot { stroke-width: 7; opacity: .55; }
.median { stroke: var(--ink); stroke-width: 2; } .zero { stroke: var(--soft); stroke-width: 1; }
.band { fill: var(--rule); opacity: .6; }
.interval { stroke: var(--roof); stroke-width: 2; }
.estimate { stroke: var(--roof); stroke-width: 9; stroke-linecap: round; }
.unclear { color: var(--roof); }
@media (max-width: 800px) { .rows { grid-template-columns: 1fr 1fr; }
  .rows .said { grid-column: 1 / -1; margin-bottom: 8px; } .rows .blank { display: none; } }
)css";

std::string cell(std::string_view name, std::string_view inner) {
  return fmt::format("<div class=\"{}\">{}</div>", name, inner);
}

std::vector<Dot> dots_of(const Comparison& comparison, std::size_t variant,
                         const ComparedMetric& metric) {
  std::vector<Dot> dots;
  for (const ComparedRun& run : comparison.runs) {
    const auto at = run.values.find(metric.key);
    if (run.variant != variant || !counts(comparison, run) || at == run.values.end()) continue;
    dots.push_back({at->second, human(metric, at->second) +
                                    (run.block ? fmt::format(", block {}", *run.block) : "")});
  }
  return dots;
}

std::string said(const Comparison& comparison, const Finding& finding) {
  const auto good = is_good(comparison, finding);
  std::string_view name = "said";
  if (finding.decision.verdict == Verdict::unclear) name = "said unclear";
  if (good) name = *good ? "said ok" : "said bad";
  return fmt::format("<div class=\"{}\" title=\"p {:.2g}, corrected {:.2g}\">{}</div>", name,
                     finding.evidence.p, finding.decision.p_corrected, html_text(finding.words));
}

struct Range {
  double low = HUGE_VAL;
  double high = -HUGE_VAL;
  void take(const std::vector<Dot>& dots) {
    for (const Dot& dot : dots) {
      low = std::min(low, dot.value);
      high = std::max(high, dot.value);
    }
  }
};

std::string variant_name(const Comparison& comparison, std::size_t variant,
                         const ComparedMetric& metric) {
  const Variant& v = comparison.variants[variant];
  return fmt::format("<div class=\"name\" title=\"{}\"><b>{}</b></div>", html_text(v.description),
                     html_text(v.name)) +
         cell("value", html_text(typical_value(comparison, variant, metric)));
}

std::string axis_ends(const std::string& low, const std::string& high) {
  return fmt::format("<div class=\"axis\"><span>{}</span><span>{}</span></div>", html_text(low),
                     html_text(high));
}

std::string metric_card(const Comparison& comparison, std::size_t base,
                        const ComparedMetric& metric) {
  const auto findings = findings_against(comparison, base, metric.key);
  if (findings.empty()) return "";
  const double reach = reach_of(findings, comparison.rule.resolution);
  const auto base_dots = dots_of(comparison, base, metric);
  Range range;
  range.take(base_dots);
  for (const Finding* finding : findings) range.take(dots_of(comparison, finding->variant, metric));

  std::string out = fmt::format(
      "<section class=\"card metric\"><h3>{} <span class=\"soft\">{}</span></h3>"
      "<div class=\"rows\">\n",
      html_text(metric.title), html_text(metric.help));
  out += variant_name(comparison, base, metric) +
         cell("plot", dot_row(base_dots, range.low, range.high)) + cell("blank", "") +
         cell("said soft", "baseline") + "\n";
  for (const Finding* finding : findings) {
    out += variant_name(comparison, finding->variant, metric) +
           cell("plot",
                dot_row(dots_of(comparison, finding->variant, metric), range.low, range.high)) +
           cell("plot", interval_row(finding->evidence.ratio, reach, comparison.rule.resolution)) +
           said(comparison, *finding) + "\n";
  }
  out += cell("blank", "") + cell("blank", "") +
         (range.low <= range.high ? axis_ends(human(metric, range.low), human(metric, range.high))
                                  : cell("blank", "")) +
         axis_ends("−" + short_percent(reach) + " %", "+" + short_percent(reach) + " %") +
         cell("blank", "");
  return out + "</div></section>\n";
}

std::string table(const SideTable& side) {
  std::vector<Table::Heading> headings;
  for (const std::string& title : side.headings) headings.push_back({title});
  headings.front().align = headings.back().align = Align::left;
  return fmt::format("<h2>{}</h2>\n", html_text(side.title)) + html_table(headings, side.rows);
}

// The numbers behind the findings.
SideTable details(const Comparison& comparison) {
  SideTable side{"Numbers",
                 {"metric", "group", "variant", "runs", "change", "p", "p corrected",
                  "Mann–Whitney p", "superiority", "verdict"},
                 {}};
  for (const Finding& finding : comparison.findings) {
    const auto& ratio = finding.evidence.ratio;
    const Variant& variant = comparison.variants[finding.variant];
    side.rows.push_back({find_metric(comparison, finding.metric)->title, variant.group,
                         variant.name, ratio ? std::to_string(ratio->second_count) : "",
                         change_text(ratio), fmt::format("{:.2g}", finding.evidence.p),
                         fmt::format("{:.2g}", finding.decision.p_corrected),
                         fmt::format("{:.2g}", finding.evidence.mann_whitney_p),
                         fmt::format("{:.2f}", finding.evidence.superiority), finding.words});
  }
  return side;
}

}  // namespace

std::string comparison_html(const Comparison& comparison) {
  std::string out = fmt::format("<h1>{}</h1>\n", html_text(comparison.title));
  for (const std::string& line : summary_lines(comparison)) {
    out += fmt::format("<p>{}</p>\n", html_text(line));
  }
  out += fmt::format(
      "<p class=\"soft\">Each dot is a run, the black line is the median. On the right: the ratio "
      "to "
      "the first variant with its {:.0f} % interval; differences within the grey band, ± {} %, do "
      "not matter.</p>\n",
      100 * comparison.rule.level, short_percent(comparison.rule.resolution));
  for (const std::size_t base : bases_of(comparison)) {
    const std::string& group = comparison.variants[base].group;
    if (!group.empty()) out += fmt::format("<h2>{}</h2>\n", html_text(group));
    for (const ComparedMetric& metric : comparison.metrics) {
      out += metric_card(comparison, base, metric);
    }
  }
  for (const SideTable& side : comparison.tables) out += table(side);
  if (!comparison.findings.empty()) out += table(details(comparison));
  if (!comparison.notes.empty()) out += "<h2>Notes</h2>\n";
  for (const std::string& note : comparison.notes) {
    out += fmt::format("<p>{}</p>\n", html_text(note));
  }
  return report_page("Comparison: " + comparison.title, kStyle, out,
                     fmt::format("{} · {} · tacho {} ({})", comparison.command, comparison.started,
                                 kVersion, kCommit));
}

}  // namespace tacho
