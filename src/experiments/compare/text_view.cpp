#include "experiments/compare/text_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/table.h"
#include "experiments/compare/summary.h"

namespace tacho {
namespace {

constexpr std::size_t kColumns = 80;
constexpr std::size_t kWordColumns = 36;
constexpr std::size_t kLongestName = 16;
constexpr std::size_t kFewestBarColumns = 11;
constexpr std::size_t kMostBarColumns = 31;

std::string padded(std::string text, std::size_t columns, bool right = false) {
  const std::size_t width = display_width(text);
  const std::string space(columns - std::min(columns, width), ' ');
  return right ? space + text : text + space;
}

std::string coloured(const Comparison& comparison, const Finding& finding,
                     const Terminal& terminal) {
  std::string text = printable(finding.words);
  if (finding.decision.verdict == Verdict::unclear) return terminal.yellow(text);
  const auto good = is_good(comparison, finding);
  if (!good) return text;
  return *good ? terminal.green(text) : terminal.red(text);
}

struct Layout {
  std::size_t name = 0;
  std::size_t value = 0;
  std::size_t bar = 0;
};

Layout layout_of(const Comparison& comparison) {
  Layout layout;
  for (std::size_t i = 0; i < comparison.variants.size(); ++i) {
    layout.name = std::max(layout.name, display_width(printable(comparison.variants[i].name)));
    for (const ComparedMetric& metric : comparison.metrics) {
      layout.value = std::max(layout.value, display_width(typical_value(comparison, i, metric)));
    }
  }
  layout.name = std::min(layout.name, kLongestName);
  const std::size_t others = 2 + layout.name + 2 + layout.value + 2 + 2 + kWordColumns;
  const std::size_t room = kColumns - std::min(kColumns, others);
  layout.bar = std::clamp(room, kFewestBarColumns, kMostBarColumns) / 2 * 2 - 1;
  return layout;
}

std::string row(const Comparison& comparison, std::size_t variant, const ComparedMetric& metric,
                const Layout& layout) {
  return "  " +
         padded(shortened(printable(comparison.variants[variant].name), layout.name), layout.name) +
         "  " + padded(typical_value(comparison, variant, metric), layout.value, true);
}

void add_metric(std::string& out, const Comparison& comparison, std::size_t base,
                const ComparedMetric& metric, const Layout& layout, const Terminal& terminal) {
  const auto findings = findings_against(comparison, base, metric.key);
  if (findings.empty()) return;
  const double reach = reach_of(findings, comparison.rule.resolution);
  out += "\n" + terminal.bold(printable(metric.title)) + "\n";
  out += row(comparison, base, metric, layout) + "  " +
         terminal.dim(fmt::format("bars: −{0} % to +{0} %", short_percent(reach))) + "\n";
  for (const Finding* finding : findings) {
    out += row(comparison, finding->variant, metric, layout) + "  " +
           interval_bar(finding->evidence.ratio, reach, layout.bar) + "  " +
           coloured(comparison, *finding, terminal) + "\n";
  }
}

// Lists the description of each variant once.
void add_descriptions(std::string& out, const Comparison& comparison, const Terminal& terminal) {
  std::set<std::string> printed;
  for (const Variant& variant : comparison.variants) {
    if (variant.description.empty() || variant.description == variant.name) continue;
    const std::string line =
        shortened(printable(variant.name + ": " + variant.description), kColumns);
    if (printed.insert(line).second) out += terminal.dim(line) + "\n";
  }
}

void add_table(std::string& out, const SideTable& side, const Terminal& terminal) {
  std::vector<Table::Heading> headings;
  for (std::size_t i = 0; i < side.headings.size(); ++i) {
    const bool last = i + 1 == side.headings.size();
    headings.push_back({side.headings[i], i == 0 || last ? Align::left : Align::right});
  }
  Table table(std::move(headings));
  for (const auto& line : side.rows) table.add(line);
  out += "\n" + terminal.bold(printable(side.title)) + "\n" + table.text(terminal);
}

}  // namespace

std::string interval_bar(const std::optional<Ratio>& ratio, double reach, std::size_t columns) {
  std::vector<std::string_view> cells(columns, " ");
  cells[columns / 2] = "│";
  const auto place = [&](double value) {
    const double share = std::clamp(((value - 1) / reach + 1) / 2, 0.0, 1.0);
    return static_cast<std::size_t>(std::lround(share * static_cast<double>(columns - 1)));
  };
  if (ratio) {
    if (ratio->interval) {
      const std::size_t low = place(ratio->interval->low);
      const std::size_t high = place(ratio->interval->high);
      for (std::size_t i = low; i <= high; ++i) cells[i] = "─";
      cells[low] = ratio->interval->low < 1 - reach ? "‹" : "├";
      cells[high] = ratio->interval->high > 1 + reach ? "›" : "┤";
    }
    cells[place(ratio->value)] = "●";
  }
  std::string bar;
  for (const auto cell : cells) bar += cell;
  return bar;
}

std::string comparison_text(const Comparison& comparison, const Terminal& terminal) {
  std::string out = terminal.bold(printable(comparison.title)) + "\n";
  for (const std::string& line : summary_lines(comparison)) out += printable(line) + "\n";
  add_descriptions(out, comparison, terminal);
  const Layout layout = layout_of(comparison);
  for (const std::size_t base : bases_of(comparison)) {
    const std::string& group = comparison.variants[base].group;
    if (!group.empty()) out += "\n" + terminal.bold("── " + printable(group) + " ──") + "\n";
    for (const ComparedMetric& metric : comparison.metrics) {
      add_metric(out, comparison, base, metric, layout, terminal);
    }
  }
  for (const SideTable& table : comparison.tables) add_table(out, table, terminal);
  if (!comparison.notes.empty()) out += "\n";
  for (const std::string& note : comparison.notes) {
    out += terminal.dim("note: " + printable(note)) + "\n";
  }
  return out;
}

}  // namespace tacho
