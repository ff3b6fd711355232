#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "experiments/compare/summary.h"
#include "experiments/study/sections.h"

namespace tacho {
namespace {

std::vector<const ComparedMetric*> shown_metrics(const Comparison& comparison,
                                                 const std::vector<std::string>& show) {
  std::vector<const ComparedMetric*> metrics;
  for (const std::string& key : show) {
    if (const ComparedMetric* metric = find_metric(comparison, key)) metrics.push_back(metric);
  }
  if (show.empty()) {
    for (const ComparedMetric& metric : comparison.metrics) metrics.push_back(&metric);
  }
  return metrics;
}

IntervalChart::Tone tone_of(const Comparison& comparison, const Finding& finding) {
  if (finding.decision.verdict == Verdict::unclear) return IntervalChart::Tone::unclear;
  const auto good = is_good(comparison, finding);
  if (!good) return IntervalChart::Tone::plain;
  return *good ? IntervalChart::Tone::good : IntervalChart::Tone::bad;
}

std::optional<Chart> interval_chart_of(const Comparison& comparison, const ComparedMetric& metric) {
  IntervalChart chart{.title = fmt::format("{}: {}", metric.title, metric.help),
                      .resolution = comparison.rule.resolution};
  for (const std::size_t base : bases_of(comparison)) {
    const auto findings = findings_against(comparison, base, metric.key);
    if (findings.empty()) continue;
    chart.reach = std::max(chart.reach, reach_of(findings, comparison.rule.resolution));
    const Variant& first = comparison.variants[base];
    if (!first.group.empty()) {
      chart.rows.push_back({.name = first.group, .value = "", .heading = true});
    }
    chart.rows.push_back({.name = first.name,
                          .value = typical_value(comparison, base, metric),
                          .words = "baseline"});
    for (const Finding* finding : findings) {
      IntervalChart::Row row{.name = comparison.variants[finding->variant].name,
                             .value = typical_value(comparison, finding->variant, metric),
                             .words = finding->words,
                             .tone = tone_of(comparison, *finding)};
      if (const auto& ratio = finding->evidence.ratio) {
        row.ratio = ratio->value;
        row.interval = ratio->interval;
      }
      chart.rows.push_back(std::move(row));
    }
  }
  // Larger differences are in the table only; such a long axis would hide the others.
  constexpr double kLongestAxis = 3;
  const bool drawn = !chart.rows.empty() && chart.reach <= kLongestAxis;
  return drawn ? std::optional<Chart>(std::move(chart)) : std::nullopt;
}

std::string pair_name(const Comparison& comparison, const Finding& finding) {
  const Variant& variant = comparison.variants[finding.variant];
  return variant.group.empty() ? variant.name
                               : fmt::format("{} at {}", variant.name, variant.group);
}

// States both values of a large difference: "10404 %" is hard to picture.
std::string difference_words(const Comparison& comparison, const ComparedMetric& metric,
                             const Finding& finding) {
  constexpr double kManyTimes = 4;
  const auto& ratio = finding.evidence.ratio;
  if (!ratio || (ratio->value < kManyTimes && ratio->value > 1 / kManyTimes)) return finding.words;
  return fmt::format("{} instead of {}", typical_value(comparison, finding.variant, metric),
                     typical_value(comparison, finding.base, metric));
}

// "step: no difference in 3 of 4; podman at batch 32: slower by 3.1 % [2.4, 3.9]"; with a single
// pair "step: no difference" or "step: podman slower by 3.1 % [2.4, 3.9]".
std::string verdict_of(const Comparison& comparison, const ComparedMetric& metric) {
  std::size_t all = 0;
  std::size_t same = 0;
  std::size_t unclear = 0;
  std::string differences;
  for (const Finding& finding : comparison.findings) {
    if (finding.metric != metric.key) continue;
    ++all;
    switch (finding.decision.verdict) {
      case Verdict::same:
        ++same;
        break;
      case Verdict::higher:
      case Verdict::lower:
        differences += fmt::format("; {}: {}", pair_name(comparison, finding),
                                   difference_words(comparison, metric, finding));
        break;
      case Verdict::unclear:
      case Verdict::no_ratio:
        ++unclear;
        break;
    }
  }
  if (all == 0) return "";
  if (all == 1 && same == 1) return fmt::format("{}: no difference.", metric.title);
  if (all == 1 && unclear == 1) return fmt::format("{}: unclear.", metric.title);
  if (all == 1) return fmt::format("{}: {}.", metric.title, differences.substr(2));
  std::string text;
  if (same > 0) text += fmt::format("; no difference in {} of {}", same, all);
  if (unclear > 0) text += fmt::format("; unclear in {} of {}", unclear, all);
  text += differences;
  return fmt::format("{}: {}.", metric.title, text.substr(2));
}

// One row per variant with the medians.
DocumentTable values_table(const Comparison& comparison,
                           const std::vector<const ComparedMetric*>& metrics) {
  const bool grouped = std::ranges::any_of(
      comparison.variants, [](const Variant& variant) { return !variant.group.empty(); });
  DocumentTable table;
  if (grouped) table.headings.push_back({"", Align::left});
  table.headings.push_back({"", Align::left});
  table.headings.push_back({"runs"});
  for (const ComparedMetric* metric : metrics) table.headings.push_back({metric->title});
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    const Variant& variant = comparison.variants[i];
    std::vector<std::string> row;
    if (grouped) row.push_back(variant.group);
    row.push_back(variant.name);
    const auto runs = std::ranges::count_if(comparison.runs, [&](const ComparedRun& run) {
      return run.variant == i && counts(comparison, run);
    });
    row.push_back(std::to_string(runs));
    for (const ComparedMetric* metric : metrics) {
      row.push_back(typical_value(comparison, i, *metric));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

DocumentTable side_table(const SideTable& side) {
  DocumentTable table;
  for (std::size_t i = 0; i < side.headings.size(); ++i) {
    const bool left = i == 0 || i + 1 == side.headings.size();
    table.headings.push_back({side.headings[i], left ? Align::left : Align::right});
  }
  table.rows = side.rows;
  return table;
}

}  // namespace

std::vector<Block> comparison_blocks(const Comparison& comparison,
                                     const std::vector<std::string>& show) {
  std::vector<Block> blocks;
  const auto metrics = shown_metrics(comparison, show);
  for (const ComparedMetric* metric : metrics) {
    std::string verdict = verdict_of(comparison, *metric);
    if (!verdict.empty()) blocks.emplace_back(Paragraph{std::move(verdict)});
  }
  for (const ComparedMetric* metric : metrics) {
    if (auto chart = interval_chart_of(comparison, *metric)) blocks.emplace_back(*std::move(chart));
  }
  blocks.emplace_back(values_table(comparison, metrics));
  for (const SideTable& side : comparison.tables) {
    blocks.emplace_back(Paragraph{side.title});
    blocks.emplace_back(side_table(side));
  }
  std::string how;
  for (const std::string& line : summary_lines(comparison)) how += (how.empty() ? "" : "; ") + line;
  blocks.emplace_back(Paragraph{
      fmt::format("Medians; {}. The grey band is the resolution, ± {} %; lines are {:.0f} % "
                  "intervals of the ratio.",
                  how, short_percent(comparison.rule.resolution), 100 * comparison.rule.level),
      true});
  for (const std::string& note : comparison.notes) blocks.emplace_back(Paragraph{note, true});
  return blocks;
}

}  // namespace tacho
