#include "predict/accuracy/batch_law.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "core/record/statistics.h"
#include "predict/accuracy/dense.h"

namespace tacho {
namespace {

// Prior of B_noise: a factor of eight around a thousand, from small networks on small data to
// language models.
constexpr double kTypicalNoiseScale = 1000;
constexpr double kNoiseScaleSpread = 2.1;
constexpr int kHypotheses = 81;
constexpr double kLeastSpread = 0.05;
constexpr double kSpreadWithoutRepeats = 0.15;

}  // namespace

BatchLaw BatchLaw::fit(std::span<const BatchPoint> points) {
  BatchLaw law;
  std::map<double, double> uses;
  for (const BatchPoint& point : points) {
    uses[point.batch] += 1;
    if (!law.place_of(point.recipe)) law.recipes_.push_back(point.recipe);
  }
  double best = HUGE_VAL;
  std::vector<double> costs;
  std::vector<double> off_best;
  for (int i = 0; i < kHypotheses; ++i) {
    const double deviations = -3.0 + 6.0 * i / (kHypotheses - 1);
    Hypothesis one{.noise_scale = kTypicalNoiseScale * std::exp(deviations * kNoiseScaleSpread)};
    std::vector<double> off;
    double cost = 0;
    for (const std::string& recipe : law.recipes_) {
      std::vector<double> logs;
      for (const BatchPoint& point : points) {
        if (point.recipe != recipe) continue;
        logs.push_back(std::log(point.epochs) - std::log1p(point.batch / one.noise_scale));
      }
      one.least.push_back(median(logs));
    }
    for (const BatchPoint& point : points) {
      const double least = one.least[*law.place_of(point.recipe)];
      off.push_back(std::log(point.epochs) - std::log1p(point.batch / one.noise_scale) - least);
      cost += std::abs(off.back()) / std::sqrt(uses[point.batch]);
    }
    // Absolute deviations at a scale of 0.1, as for a double exponential, limit the influence of
    // unusual submissions.
    cost = cost / 0.1 + square(deviations) / 2;
    if (cost < best) {
      best = cost;
      off_best = std::move(off);
    }
    costs.push_back(cost);
    law.hypotheses_.push_back(std::move(one));
  }
  double sum = 0;
  for (std::size_t i = 0; i < law.hypotheses_.size(); ++i) {
    law.hypotheses_[i].weight = std::exp(best - costs[i]);
    sum += law.hypotheses_[i].weight;
  }
  for (Hypothesis& one : law.hypotheses_) one.weight /= sum;
  for (double& off : off_best) off = std::abs(off);
  // The 90th percentile of the residuals.
  law.spread_ = points.size() < 8 ? kSpreadWithoutRepeats
                                  : std::max(kLeastSpread, quantile(off_best, 0.9) / kDeviations90);
  return law;
}

std::optional<std::size_t> BatchLaw::place_of(const std::string& recipe) const {
  const auto found = std::ranges::find(recipes_, recipe);
  if (found == recipes_.end()) return std::nullopt;
  return static_cast<std::size_t>(found - recipes_.begin());
}

Estimate BatchLaw::epochs(double batch, const std::string& recipe) const {
  const auto place = place_of(recipe);
  double mean = 0;
  double squares = 0;
  for (const Hypothesis& one : hypotheses_) {
    // An unknown recipe counts as the best known one.
    const double least = place ? one.least[*place] : std::ranges::min(one.least);
    const double log_epochs = least + std::log1p(batch / one.noise_scale);
    mean += one.weight * log_epochs;
    squares += one.weight * square(log_epochs);
  }
  const double between = std::max(0.0, squares - square(mean));
  const double half =
      kDeviations90 * std::sqrt(between + square(spread_) + (place ? 0 : square(0.2)));
  return {std::exp(mean), std::exp(mean - half), std::exp(mean + half)};
}

double BatchLaw::noise_scale() const {
  double mean = 0;
  for (const Hypothesis& one : hypotheses_) mean += one.weight * std::log(one.noise_scale);
  return std::exp(mean);
}

}  // namespace tacho
