#include "predict/accuracy/curve_prior.h"

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

constexpr double kFamilyNoise = 0.006;
constexpr double kBaseWeight = 4;  // weight of the base prior, in curves

std::vector<double> scaled(const std::vector<double>& epochs) {
  std::vector<double> x = epochs;
  for (double& value : x) value /= epochs.front();
  return x;
}

}  // namespace

CurvePrior::CurvePrior() : families_(curve_families().size()) {}

CurvePrior CurvePrior::learned(std::span<const FamilyMixture* const> curves) {
  CurvePrior prior;
  for (std::size_t f = 0; f < prior.families_.size(); ++f) {
    std::vector<std::vector<double>> seen;
    for (const FamilyMixture* curve : curves) seen.push_back(curve->fits()[f].parameters());
    const double weight = kBaseWeight + static_cast<double>(seen.size());
    FamilyPrior& learned = prior.families_[f];
    for (std::size_t p = 0; p < curve_families()[f].parameters; ++p) {
      double sum = kBaseWeight * learned.mean[p];
      for (const auto& parameters : seen) sum += parameters[p];
      const double mean = sum / weight;
      const double shift = learned.mean[p] - mean;
      double squares = kBaseWeight * (learned.deviation[p] * learned.deviation[p] + shift * shift);
      for (const auto& parameters : seen)
        squares += (parameters[p] - mean) * (parameters[p] - mean);
      learned.mean[p] = mean;
      learned.deviation[p] = std::sqrt(squares / weight);
    }
  }
  return prior;
}

FamilyMixture::FamilyMixture(const Curve& curve, const CurvePrior& prior)
    : unit_(curve.epochs.front()) {
  const double noise = noise_of(curve.accuracy, kFamilyNoise);
  const auto x = scaled(curve.epochs);
  double least = HUGE_VAL;
  for (std::size_t f = 0; f < curve_families().size(); ++f) {
    fits_.push_back(FamilyFit::of(curve_families()[f], x, curve.accuracy, noise, prior.of(f)));
    least = std::min(least, fits_.back().cost());
  }
  double sum = 0;
  for (const FamilyFit& fit : fits_) {
    weights_.push_back(std::exp(least - fit.cost()));
    sum += weights_.back();
  }
  for (double& weight : weights_) weight /= sum;
}

double FamilyMixture::value(double epoch) const {
  double mean = 0;
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    // Skips families with negligible weight to save time.
    if (weights_[i] > 1e-4) mean += weights_[i] * fits_[i].value(epoch / unit_);
  }
  return mean;
}

NormalEstimate FamilyMixture::at(double epoch) const {
  double mean = 0;
  double squares = 0;
  for (std::size_t i = 0; i < fits_.size(); ++i) {
    const NormalEstimate one = fits_[i].at(epoch / unit_);
    mean += weights_[i] * one.value;
    squares += weights_[i] * (one.value * one.value + one.deviation * one.deviation);
  }
  return {mean, std::sqrt(std::max(0.0, squares - mean * mean))};
}

}  // namespace tacho
