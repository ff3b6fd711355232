#include "predict/stack_spread.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "record/statistics.h"

namespace tacho {
namespace {

// Far enough out to tell of intervals, near enough not to be made by a few.
constexpr double kTold = 0.8;
// So many rehearsed jobs count as much as the belief that a software is like all others.
constexpr double kDoubt = 50;
constexpr double kNarrowest = 0.5;
constexpr double kWidest = 4;

std::string key_of(const std::string& stack, bool model_known) {
  return model_known ? stack : stack + ", new model";
}

}  // namespace

StackSpread StackSpread::learn(std::span<const Rehearsed> rehearsed) {
  std::map<std::string, std::vector<double>> of_stacks;
  for (const Rehearsed& one : rehearsed) {
    if (!(one.deviation > 0) || one.stack.empty()) continue;
    of_stacks[key_of(one.stack, one.model_known)].push_back(std::abs(one.error) / one.deviation);
  }
  // The middle of all software, however many jobs each has.
  std::vector<double> reaches;
  for (const auto& [stack, ratios] : of_stacks) reaches.push_back(quantile(ratios, kTold));
  StackSpread out;
  if (reaches.empty()) return out;
  const double usual = median(reaches);
  if (!(usual > 0)) return out;
  for (const auto& [stack, ratios] : of_stacks) {
    const auto jobs = static_cast<double>(ratios.size());
    const double against_usual = std::max(quantile(ratios, kTold) / usual, 1e-3);
    const double factor = std::pow(against_usual, jobs / (jobs + kDoubt));
    out.factors_[stack] = std::clamp(factor, kNarrowest, kWidest);
  }
  return out;
}

StackSpread StackSpread::known(std::map<std::string, double> factors) {
  StackSpread out;
  out.factors_ = std::move(factors);
  return out;
}

double StackSpread::of(const std::string& stack, bool model_known) const {
  const auto found = factors_.find(key_of(stack, model_known));
  return found == factors_.end() ? 1 : found->second;
}

}  // namespace tacho
