#include <fmt/format.h>

#include "compare/summary.h"
#include "study/sections.h"

namespace tacho {
namespace {

constexpr std::string_view kStep = "step_s";

// The variant whose step is the shortest, by the ratio to the first.
const Finding* best_in(const Comparison& comparison) {
  const Finding* best = nullptr;
  for (const Finding& finding : comparison.findings) {
    if (finding.metric != kStep || !finding.evidence.ratio) continue;
    if (best == nullptr || finding.evidence.ratio->value < best->evidence.ratio->value) {
      best = &finding;
    }
  }
  return best;
}

std::string saved_words(const Evidence& evidence) {
  const double saved = 1 - evidence.ratio->value;
  std::string out = fmt::format("{:.1f} %", 100 * saved);
  // Of two runs each an interval may reach from a thousandth to a thousand: it says nothing.
  constexpr double kAnything = 2;
  if (const auto& interval = evidence.ratio->interval; interval && interval->high <= kAnything) {
    out += fmt::format(" [{:.1f}, {:.1f}]", 100 * (1 - interval->high), 100 * (1 - interval->low));
  }
  return out;
}

std::vector<std::string> row_of(const ComparedChange& change) {
  const Comparison& comparison = change.comparison;
  const ComparedMetric* step = find_metric(comparison, kStep);
  const Finding* best = step == nullptr ? nullptr : best_in(comparison);
  if (best == nullptr) return {change.title, "–", "–", "–", "–", "could not be compared"};
  return {change.title,
          fmt::format("{} instead of {}", comparison.variants[best->variant].name,
                      comparison.variants[best->base].name),
          typical_value(comparison, best->base, *step),
          typical_value(comparison, best->variant, *step),
          saved_words(best->evidence),
          best->words};
}

}  // namespace

std::vector<Block> savings_blocks(const std::vector<ComparedChange>& changes) {
  DocumentTable table{.headings = {{"change", Align::left},
                                   {"the best of it", Align::left},
                                   {"step before"},
                                   {"after"},
                                   {"saved"},
                                   {"verdict", Align::left}},
                      .rows = {}};
  for (const ComparedChange& change : changes) table.rows.push_back(row_of(change));
  return {table, Paragraph{"Medians; what is saved of a step with its interval. Less than 0 is a "
                           "loss: what stood first was the best.",
                           true}};
}

}  // namespace tacho
