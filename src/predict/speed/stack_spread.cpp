#include "predict/speed/stack_spread.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/record/statistics.h"

namespace tacho {
namespace {

// Far enough out to represent intervals, but not determined by a few jobs.
constexpr double kQuantile = 0.8;
// Weight of the prior that a software is like all others, in cross-validated jobs.
constexpr double kPriorJobs = 50;
constexpr double kNarrowest = 0.5;
constexpr double kWidest = 4;

std::string wide_key(const Setting& setting) {
  return setting.model_known ? setting.stack : setting.stack + ", new model";
}

// A more specific key. Several nodes have no separate key, because one cluster's cross-validated
// jobs say little about another held-out cluster.
std::string narrow_key(const Setting& setting) {
  if (setting.scale == Scale::several_nodes) return wide_key(setting);
  return wide_key(setting) + (setting.gpu_known ? "" : ", new") +
         (setting.scale == Scale::one_gpu ? ", GPU" : ", GPUs");
}

using Ratios = std::vector<double>;             // of errors to deviations
using OfStack = std::map<std::string, Ratios>;  // by narrow key

// Joins all ratios except those of `left_out`.
Ratios together(const OfStack& of_stack, const std::string& left_out = "") {
  Ratios out;
  for (const auto& [key, ratios] : of_stack) {
    if (key != left_out) out.insert(out.end(), ratios.begin(), ratios.end());
  }
  return out;
}

// Returns how much larger errors are than usual, shrunk to the prior with few ratios.
double factor_of(const Ratios& ratios, double usual, double prior) {
  if (ratios.empty()) return prior;
  const auto jobs = static_cast<double>(ratios.size());
  const double measured = std::max(quantile(ratios, kQuantile) / usual, 1e-3);
  return std::clamp(prior * std::pow(measured / prior, jobs / (jobs + kPriorJobs)), kNarrowest,
                    kWidest);
}

}  // namespace

StackSpread StackSpread::learn(std::span<const CrossValidated> cross_validated) {
  std::map<std::string, OfStack> of_stacks;  // by wide key
  for (const CrossValidated& one : cross_validated) {
    if (!(one.deviation > 0) || one.setting.stack.empty()) continue;
    of_stacks[wide_key(one.setting)][narrow_key(one.setting)].push_back(std::abs(one.error) /
                                                                        one.deviation);
  }
  // The median over all software, independent of the number of jobs.
  std::vector<double> reaches;
  for (const auto& [key, of_stack] : of_stacks) {
    reaches.push_back(quantile(together(of_stack), kQuantile));
  }
  StackSpread out;
  if (reaches.empty()) return out;
  const double usual = median(reaches);
  if (!(usual > 0)) return out;
  for (const auto& [wide, of_stack] : of_stacks) {
    out.factors_[wide] = factor_of(together(of_stack), usual, 1);
    for (const auto& [narrow, ratios] : of_stack) {
      if (narrow == wide) continue;
      const double of_others = factor_of(together(of_stack, narrow), usual, 1);
      out.factors_[narrow] = factor_of(ratios, usual, of_others);
    }
  }
  return out;
}

StackSpread StackSpread::known(std::map<std::string, double> factors) {
  StackSpread out;
  out.factors_ = std::move(factors);
  return out;
}

double StackSpread::of(const Setting& setting) const {
  for (const std::string& key : {narrow_key(setting), wide_key(setting)}) {
    const auto found = factors_.find(key);
    if (found != factors_.end()) return found->second;
  }
  return 1;
}

}  // namespace tacho
