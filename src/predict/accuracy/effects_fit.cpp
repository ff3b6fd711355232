#include "predict/accuracy/effects_fit.h"

#include <cmath>

#include "base/result.h"

namespace tacho {
namespace {

constexpr double kDerivativeStep = 1e-6;  // of numerical derivatives
constexpr int kMostRounds = 300;
constexpr double kEnough = 1e-10;  // relative decrease of the cost in a round

// The soft L1 loss of a residual, its weight in least squares, and the share of its curvature.
double soft_loss(double residual) { return std::sqrt(1 + square(residual)) - 1; }
double soft_weight(double residual) { return 1 / std::sqrt(1 + square(residual)); }
double soft_curvature(double residual) { return std::pow(1 + square(residual), -1.5); }

std::vector<double> derivatives(const EffectsPoint& point, std::vector<double> values) {
  const double base = point.value(values);
  std::vector<double> gradient;
  for (double& value : values) {
    const double before = value;
    value += kDerivativeStep;
    gradient.push_back((point.value(values) - base) / kDerivativeStep);
    value = before;
  }
  return gradient;
}

}  // namespace

EffectsFit::EffectsFit(std::vector<EffectPrior> priors, double noise,
                       std::span<const Measurement> measurements)
    : priors_(std::move(priors)), noise_(noise) {
  for (const Measurement& measurement : measurements) {
    for (const Effect& effect : measurement.point.effects) {
      const auto [place, fresh] = places_.try_emplace(effect, effects_.size());
      if (!fresh) continue;
      kinds_.push_back(effect.kind);
      effects_.push_back(priors_[effect.kind].mean);
    }
  }
  minimise(measurements);
}

std::vector<double> EffectsFit::values_of(const EffectsPoint& point) const {
  std::vector<double> values;
  for (const Effect& effect : point.effects) {
    const auto place = places_.find(effect);
    values.push_back(place == places_.end() ? priors_[effect.kind].mean : effects_[place->second]);
  }
  return values;
}

double EffectsFit::cost(std::span<const Measurement> measurements,
                        const std::vector<double>& effects) const {
  double sum = 0;
  std::vector<double> values;
  for (const auto& [point, value] : measurements) {
    values.clear();
    for (const Effect& effect : point.effects) values.push_back(effects[places_.at(effect)]);
    sum += soft_loss((value - point.value(values)) / noise_);
  }
  for (std::size_t i = 0; i < effects.size(); ++i) {
    sum += soft_loss((effects[i] - priors_[kinds_[i]].mean) / priors_[kinds_[i]].deviation);
  }
  return sum;
}

// Levenberg and Marquardt's method, with the weights of the robust loss.
void EffectsFit::minimise(std::span<const Measurement> measurements) {
  const std::size_t count = effects_.size();
  double damping = 1e-3;
  double now = cost(measurements, effects_);
  for (int round = 0; round <= kMostRounds; ++round) {
    SymmetricMatrix normal(count);
    SymmetricMatrix information(count);
    std::vector<double> descent(count);
    const auto add = [&](const std::vector<std::size_t>& places, const std::vector<double>& slope,
                         double residual) {
      for (std::size_t i = 0; i < places.size(); ++i) {
        descent[places[i]] += soft_weight(residual) * slope[i] * residual;
        for (std::size_t j = 0; j < places.size(); ++j) {
          const double outer = slope[i] * slope[j];
          normal.at(places[i], places[j]) += soft_weight(residual) * outer;
          information.at(places[i], places[j]) += soft_curvature(residual) * outer;
        }
      }
    };
    for (const auto& [point, value] : measurements) {
      const std::vector<double> values = values_of(point);
      std::vector<double> slope = derivatives(point, values);
      for (double& one : slope) one /= noise_;
      std::vector<std::size_t> places;
      for (const Effect& effect : point.effects) places.push_back(places_.at(effect));
      add(places, slope, (value - point.value(values)) / noise_);
    }
    for (std::size_t i = 0; i < count; ++i) {
      const EffectPrior& prior = priors_[kinds_[i]];
      add({i}, {1 / prior.deviation}, (prior.mean - effects_[i]) / prior.deviation);
    }
    information_ = SymmetricFactor::of(information);
    if (round == kMostRounds) break;

    double better = now;
    while (damping < 1e12) {
      SymmetricMatrix damped = normal;
      for (std::size_t i = 0; i < count; ++i) damped.at(i, i) *= 1 + damping;
      const auto factor = SymmetricFactor::of(damped);
      if (!factor) broken_invariant("effects without a prior");
      const std::vector<double> step = factor->solve(descent);
      std::vector<double> moved = effects_;
      for (std::size_t i = 0; i < count; ++i) moved[i] += step[i];
      better = cost(measurements, moved);
      if (better < now) {
        effects_ = std::move(moved);
        damping = std::max(damping / 10, 1e-9);
        break;
      }
      damping *= 10;
    }
    if (!(better < now * (1 - kEnough))) break;
    now = better;
  }
  if (!information_) broken_invariant("effects without curvature");
}

NormalEstimate EffectsFit::at(const EffectsPoint& point) const {
  const std::vector<double> values = values_of(point);
  const std::vector<double> slope = derivatives(point, values);
  std::vector<double> fitted(effects_.size());
  double variance = square(noise_);
  for (std::size_t i = 0; i < slope.size(); ++i) {
    const auto place = places_.find(point.effects[i]);
    if (place == places_.end()) {
      variance += square(slope[i] * priors_[point.effects[i].kind].deviation);
    } else {
      fitted[place->second] = slope[i];
    }
  }
  return {point.value(values), std::sqrt(variance + information_->inverse_form(fitted))};
}

}  // namespace tacho
