#include "tracing/report/advice.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "tracing/report/advice_rules.h"

namespace tacho {
namespace {

// An interval that includes almost no saving, or spans most of the range, is not evidence.
bool has_evidence(const Advice& advice) {
  constexpr double kLeast = 0.01;
  constexpr double kWidest = 0.6;
  return advice.range.low >= kLeast && advice.range.high - advice.range.low <= kWidest;
}

void apply(std::span<const AdviceRule> rules, const Situation& situation,
           std::vector<Advice>& found) {
  for (const AdviceRule rule : rules) {
    auto advice = rule(situation);
    if (!advice || advice->saving < kWorthwhile) continue;
    advice->range.low = std::clamp(advice->range.low, 0.0, advice->saving);
    advice->range.high = std::clamp(advice->range.high, advice->saving, 1.0);
    if (has_evidence(*advice)) found.push_back(std::move(*advice));
  }
}

// Makes each saving relative to the time that remains after the changes before it: two of them may
// save the same time, and together they cannot save more than 100 %.
void apply_in_turn(std::vector<Advice>& found) {
  double left = 1;
  for (Advice& advice : found) {
    const double before = left;
    left *= 1 - advice.saving;
    advice.saving *= before;
    advice.range.low *= before;
    advice.range.high *= before;
  }
  std::erase_if(found, [](const Advice& advice) { return advice.saving < kWorthwhile; });
}

bool has(const std::vector<Advice>& found, std::string_view key) {
  return std::any_of(found.begin(), found.end(),
                     [key](const Advice& advice) { return advice.key == key; });
}

Advice nothing(const Situation& situation) {
  Advice advice{.key = "none",
                .title = "Nothing stands out",
                .action = "use a faster machine, or do less work per step"};
  if (!situation.step) {
    advice.action = "";
    advice.evidence = "no step was recorded or found in this run";
    return advice;
  }
  auto parts = situation.step->parts;
  if (parts.empty() && situation.cores_allowed > 0) {
    advice.evidence = fmt::format("{:.1f} of {:.0f} cores in use on average", situation.cores_used,
                                  situation.cores_allowed);
  }
  std::stable_sort(parts.begin(), parts.end(),
                   [](const StepPart& a, const StepPart& b) { return a.seconds > b.seconds; });
  for (const StepPart& part : parts) {
    if (part.share < 0.05) break;
    advice.evidence += fmt::format("{}{} {}", advice.evidence.empty() ? "" : ", ", part.title,
                                   human_share(part.share));
  }
  return advice;
}

}  // namespace

std::vector<Advice> advise(const RunFindings& run) {
  const Situation situation = situation_of(run);
  std::vector<Advice> found;
  if (situation.gpu != nullptr) apply(gpu_rules(), situation, found);
  apply(host_rules(), situation, found);
  // Both recommend a larger batch; "batch" has the better estimate.
  if (has(found, "batch")) {
    std::erase_if(found, [](const Advice& advice) { return advice.key == "headroom"; });
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const Advice& a, const Advice& b) { return a.saving > b.saving; });
  apply_in_turn(found);
  if (found.empty()) found.push_back(nothing(situation));
  return found;
}

}  // namespace tacho
