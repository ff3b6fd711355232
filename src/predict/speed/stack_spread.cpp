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

std::string wide_key(const Novelty& novelty, const std::string& stack) {
  return novelty.model == ModelNovelty::known ? stack : stack + ", new model";
}

// A more specific key.
std::string narrow_key(const Novelty& novelty, const std::string& stack, bool one_gpu) {
  if (novelty.nodes != NodesNovelty::one) return wide_key(novelty, stack) + ", nodes";
  return wide_key(novelty, stack) + (novelty.gpu == GpuNovelty::known ? "" : ", new") +
         (one_gpu ? ", GPU" : ", GPUs");
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
    if (!(one.deviation > 0) || one.stack.empty()) continue;
    of_stacks[wide_key(one.novelty, one.stack)][narrow_key(one.novelty, one.stack, one.one_gpu)]
        .push_back(std::abs(one.error) / one.deviation);
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

double StackSpread::of(const Novelty& novelty, const std::string& stack, bool one_gpu) const {
  for (const std::string& key : {narrow_key(novelty, stack, one_gpu), wide_key(novelty, stack)}) {
    const auto found = factors_.find(key);
    if (found != factors_.end()) return found->second;
  }
  return 1;
}

}  // namespace tacho
