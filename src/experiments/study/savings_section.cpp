#include <fmt/format.h>

#include "experiments/compare/summary.h"
#include "experiments/study/sections.h"

namespace tacho {
namespace {

constexpr std::string_view kStep = "step_s";

// Returns the finding of the variant with the shortest step, relative to the first.
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
  // With two runs each, an interval may span 0.001 to 1000 and is useless.
  constexpr double kWidest = 2;
  if (const auto& interval = evidence.ratio->interval; interval && interval->high <= kWidest) {
    out += fmt::format(" [{:.1f}, {:.1f}]", 100 * (1 - interval->high), 100 * (1 - interval->low));
  }
  return out;
}

std::vector<std::string> row_of(const ComparedChange& change) {
  const Comparison& comparison = change.comparison;
  const ComparedMetric* step = find_metric(comparison, kStep);
  const Finding* best = step == nullptr ? nullptr : best_in(comparison);
  if (best == nullptr) return {change.title, "–", "–", "–", "–", "not comparable"};
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
                                   {"best variant", Align::left},
                                   {"step before"},
                                   {"after"},
                                   {"saved"},
                                   {"verdict", Align::left}},
                      .rows = {}};
  for (const ComparedChange& change : changes) table.rows.push_back(row_of(change));
  return {table, Paragraph{"Medians; the saved share of a step with its interval. Negative values "
                           "are losses: the baseline was the best.",
                           true}};
}

}  // namespace tacho
