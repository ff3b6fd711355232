#include "predict/accuracy/accuracy_levels.h"

#include <algorithm>
#include <cmath>

#include "core/record/statistics.h"
#include "predict/accuracy/curve_family.h"
#include "predict/accuracy/dense.h"
#include "predict/accuracy/held_out_reach.h"

namespace tacho {
namespace {

// Weights of the prior in pairs: models differ less than datasets.
constexpr double kModelRidge = 1;
constexpr double kDataRidge = 0.01;
constexpr double kTypicalLogit = 1.5;
// In logits: 0.80 instead of 0.89.
constexpr double kMuchWeaker = 0.7;
// Half of the interval if there are too few pairs to measure it: 0.8 is 0.55 to 0.93.
constexpr double kReachUnmeasured = 1.2;

double logit_of(double accuracy) { return logit(std::clamp(accuracy, 0.005, 0.998)); }

std::size_t place_in(std::vector<std::string>& names, const std::string& name) {
  const auto found = std::ranges::find(names, name);
  if (found != names.end()) return static_cast<std::size_t>(found - names.begin());
  names.push_back(name);
  return names.size() - 1;
}

}  // namespace

std::vector<PairLevel> pair_levels(std::span<const Curve> curves) {
  std::vector<PairLevel> pairs;
  for (const Curve& curve : curves) {
    const double top = std::ranges::max(curve.accuracy);
    const auto pair = std::ranges::find_if(pairs, [&](const PairLevel& one) {
      return one.model == curve.setting.model && one.data == curve.setting.data;
    });
    if (pair == pairs.end()) {
      pairs.push_back({curve.setting.model, curve.setting.data, top});
    } else {
      pair->accuracy = std::max(pair->accuracy, top);
    }
  }
  return pairs;
}

AccuracyLevels::AccuracyLevels(std::vector<PairLevel> pairs) : pairs_(std::move(pairs)) {
  HeldOutReach known;
  HeldOutReach unknown;
  for (const PairLevel& pair : pairs_) {
    const double truth = logit_of(pair.accuracy);
    const auto elsewhere = without(pair.model, pair.data, false);
    if (elsewhere && elsewhere->knows_model && elsewhere->gap <= kMuchWeaker)
      known.add({std::abs(elsewhere->logit - truth)});
    const auto alone = without(pair.model, pair.data, true);
    if (alone) unknown.add({std::abs(alone->logit - truth)});
  }
  reach_unknown_ = unknown.reach(kReachUnmeasured);
  reach_known_ = known.reach(reach_unknown_);
}

std::optional<AccuracyLevels::Sum> AccuracyLevels::without(const std::string& model,
                                                           const std::string& data,
                                                           bool alone) const {
  std::vector<std::string> datasets = {data};
  std::vector<std::string> models = {model};
  std::vector<std::pair<std::size_t, std::size_t>> places;
  std::vector<double> logits;
  Sum sum;
  bool knows_data = false;
  for (const PairLevel& pair : pairs_) {
    if (pair.model == model && (alone || pair.data == data)) continue;
    sum.knows_model |= pair.model == model;
    knows_data |= pair.data == data;
    places.emplace_back(place_in(datasets, pair.data), place_in(models, pair.model));
    logits.push_back(logit_of(pair.accuracy));
  }
  if (!knows_data) return std::nullopt;
  SymmetricMatrix normal(datasets.size() + models.size());
  std::vector<double> right(normal.size());
  for (std::size_t i = 0; i < datasets.size(); ++i) {
    normal.at(i, i) = kDataRidge;
    right[i] = kDataRidge * kTypicalLogit;
  }
  for (std::size_t i = datasets.size(); i < normal.size(); ++i) normal.at(i, i) = kModelRidge;
  for (std::size_t k = 0; k < places.size(); ++k) {
    std::vector<double> row(normal.size());
    row[places[k].first] = row[datasets.size() + places[k].second] = 1;
    normal.add_outer(row, 1);
    for (std::size_t i = 0; i < row.size(); ++i) right[i] += row[i] * logits[k];
  }
  const auto factor = SymmetricFactor::of(normal);
  if (!factor) broken_invariant("ridge regression without a solution");
  const auto solution = factor->solve(right);
  const double strength = solution[datasets.size()];
  sum.logit = solution[0] + strength;
  sum.gap = HUGE_VAL;
  for (const auto& [dataset, of_model] : places) {
    if (dataset != 0) continue;
    sum.gap = std::min(sum.gap, solution[datasets.size() + of_model] - strength);
  }
  return sum;
}

std::optional<Estimate> AccuracyLevels::expected(const std::string& model,
                                                 const std::string& data) const {
  const auto sum = without(model, data, false);
  if (!sum || sum->gap > kMuchWeaker) return std::nullopt;
  const double reach = sum->knows_model ? reach_known_ : reach_unknown_;
  return Estimate{logistic(sum->logit), logistic(sum->logit - reach), logistic(sum->logit + reach)};
}

std::optional<Estimate> AccuracyLevels::known_or_expected(const std::string& model,
                                                          const std::string& data) const {
  const auto pair = std::ranges::find_if(
      pairs_, [&](const PairLevel& one) { return one.model == model && one.data == data; });
  if (pair == pairs_.end()) return expected(model, data);
  return Estimate{pair->accuracy, pair->accuracy, pair->accuracy};
}

}  // namespace tacho
