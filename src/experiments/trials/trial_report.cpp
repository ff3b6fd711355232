#include "experiments/trials/trial_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

namespace tacho {
namespace {

// A smaller saving is not worth measuring.
constexpr double kWorthMeasuring = 0.99;

bool keeps_results(const TriedChange& tried) {
  if (tried.losses.change == LossChange::changed) return false;
  const bool in_python = std::ranges::any_of(tried.changes, &TrialChange::in_python);
  return tried.losses.change != LossChange::unknown || !in_python;
}

Json json_of(const TriedChange& tried) {
  Json names = Json::array();
  for (const TrialChange& change : tried.changes) names.push_back(change.name);
  Json json = {{"changes", std::move(names)},
               {"outcome", kTrialOutcomes.of(tried.outcome)},
               {"recommended", tried.recommended()},
               {"finding", tried.words},
               {"effect", tried.effect},
               {"keep", tried.keep},
               {"why", tried.why},
               {"losses", kLossChanges.of(tried.losses.change)},
               {"loss_difference", tried.losses.difference}};
  if (tried.losses.of_other_seed) json["loss_difference_of_seeds"] = *tried.losses.of_other_seed;
  if (tried.ratio) {
    json["ratio"] = tried.ratio->value;
    if (tried.ratio->interval) {
      json["ratio_low"] = tried.ratio->interval->low;
      json["ratio_high"] = tried.ratio->interval->high;
    }
  }
  return json;
}

}  // namespace

std::string TriedChange::name() const {
  std::string text;
  for (const TrialChange& change : changes) text += (text.empty() ? "" : " + ") + change.name;
  return text;
}

bool TriedChange::recommended() const {
  return outcome == TrialOutcome::faster && keeps_results(*this);
}

const TriedChange* TrialReport::best() const {
  const TriedChange* best = nullptr;
  for (const TriedChange& change : tried) {
    if (!change.recommended()) continue;
    if (best == nullptr || change.ratio->value < best->ratio->value) best = &change;
  }
  return best;
}

bool read_finding(const Comparison& comparison, std::size_t variant, bool measured,
                  TriedChange& tried) {
  if (comparison.metrics.empty()) return false;
  const auto found = std::ranges::find_if(comparison.findings, [&](const Finding& finding) {
    return finding.variant == variant && finding.base == 0 &&
           finding.metric == comparison.metrics.front().key;
  });
  if (found == comparison.findings.end() || !found->evidence.ratio) return false;
  tried.ratio = found->evidence.ratio;
  tried.words = found->words;
  if (!measured) {
    const bool may_save = found->evidence.ratio->value < kWorthMeasuring;
    tried.outcome = may_save ? TrialOutcome::not_measured : TrialOutcome::not_faster;
    return true;
  }
  switch (found->decision.verdict) {
    case Verdict::lower:
      tried.outcome = TrialOutcome::faster;
      break;
    case Verdict::higher:
      tried.outcome = TrialOutcome::slower;
      break;
    case Verdict::same:
      tried.outcome = TrialOutcome::same;
      break;
    case Verdict::unclear:
    case Verdict::no_ratio:
      tried.outcome = TrialOutcome::unclear;
      break;
  }
  return true;
}

bool may_save(const TriedChange& tried) {
  return tried.outcome == TrialOutcome::not_measured && tried.ratio;
}

std::vector<TrialChange> to_combine(std::span<const TriedChange> tried) {
  std::map<std::string, const TriedChange*> of_family;
  for (const TriedChange& one : tried) {
    if (!may_save(one) || !keeps_results(one)) continue;
    const TrialChange& change = one.changes.front();
    const TriedChange*& best = of_family[change.family.empty() ? change.name : change.family];
    if (best == nullptr || one.ratio->value < best->ratio->value) best = &one;
  }
  std::vector<TrialChange> all;
  for (const TriedChange& one : tried) {  // in their order
    const TrialChange& change = one.changes.front();
    const auto kept = of_family.find(change.family.empty() ? change.name : change.family);
    if (kept != of_family.end() && kept->second == &one) all.push_back(change);
  }
  return all;
}

Json to_json(const TrialReport& report) {
  Json tried = Json::array();
  for (const TriedChange& change : report.tried) tried.push_back(json_of(change));
  const TriedChange* best = report.best();
  return {{"command", report.title},
          {"metric", report.metric.key},
          {"original", report.original},
          {"tried", std::move(tried)},
          {"best", best == nullptr ? Json() : Json(best->name())},
          {"comparisons", report.comparisons},
          {"notes", report.notes},
          {"seconds", report.seconds}};
}

}  // namespace tacho
