#include "predict/accuracy/similar_curves.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "predict/accuracy/abstain.h"
#include "predict/accuracy/dense.h"

namespace tacho {
namespace {

// Differences, in logarithms, at which a training counts exp(-1/2) of an equal one.
constexpr double kBatch = 0.5;
constexpr double kRanks = 0.4;
constexpr double kRate = 0.5;
constexpr double kOtherModel = 8;    // in squared deviations
constexpr double kFurthest = 9;      // squared deviations without any training: no prediction
constexpr double kNearEpochs = 0.3;  // in logarithms: epochs with similar errors

double squared_distance(const TrainingSetup& a, const TrainingSetup& b) {
  // Ranks that share the data train like one with all their batches; ranks that each see all data
  // take as many steps as one, with less noise in the gradient.
  const auto batch = [](const TrainingSetup& s) {
    return s.batch_per_gpu * (s.data_split == DataSplit::part ? s.gpus : 1);
  };
  const auto ranks = [](const TrainingSetup& s) {
    return s.data_split == DataSplit::part ? 1 : s.gpus;
  };
  return square(std::log(batch(a) / batch(b)) / kBatch) +
         square(std::log(ranks(a) / ranks(b)) / kRanks) +
         square(std::log(a.learning_rate / b.learning_rate) / kRate) +
         (a.model == b.model ? 0 : kOtherModel);
}

// Returns by how much errors grow with the squared distance to the nearest training.
double uncertainty_of(double distance) {
  constexpr double kDoubled = 6;  // squared distance at which an error is twice as large
  return std::sqrt(1 + 3 * distance / kDoubled);
}

}  // namespace

SimilarCurves::SimilarCurves(std::span<const TrainingRun> runs) {
  std::map<TrainingSetup, std::vector<const TrainingRun*>> ranks;
  for (const TrainingRun& run : runs) ranks[run.setup].push_back(&run);
  for (const auto& [setup, of_setup] : ranks) {
    Known known{setup, of_setup.front()->top1};
    for (std::size_t i = 0; i < known.top1.size(); ++i) {
      double sum = 0;
      double count = 0;
      for (const TrainingRun* run : of_setup) {
        if (i >= run->top1.size()) continue;
        sum += run->top1[i];
        count += 1;
      }
      known.top1[i] = sum / count;
    }
    known_.push_back(std::move(known));
  }
  for (const Known& known : known_) {
    const double uncertainty = uncertainty_of(nearest(known.setup, &known));
    std::vector<double> epochs(known.top1.size());
    for (std::size_t i = 0; i < epochs.size(); ++i) epochs[i] = static_cast<double>(i + 1);
    const std::vector<double> predicted = means(known.setup, epochs, &known);
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      if (!std::isfinite(predicted[i])) continue;
      misses_.push_back({epochs[i], std::abs(known.top1[i] - predicted[i]) / uncertainty});
    }
  }
  std::ranges::sort(misses_, {}, &Miss::error);
}

std::vector<double> SimilarCurves::means(const TrainingSetup& setup, std::span<const double> epochs,
                                         const Known* left_out) const {
  std::vector<double> sums(epochs.size());
  std::vector<double> weights(epochs.size());
  for (const Known& known : known_) {
    if (&known == left_out || known.setup.data != setup.data) continue;
    // The floor keeps a mean for epochs that only distant trainings reached.
    const double weight = std::exp(-squared_distance(known.setup, setup) / 2) + 1e-12;
    for (std::size_t i = 0; i < epochs.size(); ++i) {
      const auto place = static_cast<std::size_t>(std::max(epochs[i], 1.0)) - 1;
      if (place >= known.top1.size()) continue;
      sums[i] += weight * known.top1[place];
      weights[i] += weight;
    }
  }
  for (std::size_t i = 0; i < epochs.size(); ++i) sums[i] /= weights[i];
  return sums;
}

double SimilarCurves::nearest(const TrainingSetup& setup, const Known* left_out) const {
  double nearest = INFINITY;
  for (const Known& known : known_) {
    if (&known == left_out || known.setup.data != setup.data) continue;
    nearest = std::min(nearest, squared_distance(known.setup, setup));
  }
  return nearest;
}

double SimilarCurves::half_width(double epoch) const {
  std::vector<double> near;
  for (const Miss& miss : misses_) {
    if (std::abs(std::log(miss.epoch / epoch)) <= kNearEpochs) near.push_back(miss.error);
  }
  if (near.empty()) return 1;
  const double rank = std::ceil(0.9 * static_cast<double>(near.size() + 1));
  return near[std::min(near.size(), static_cast<std::size_t>(rank)) - 1];
}

Result<std::vector<CurvePrediction>> SimilarCurves::predict(const TrainingSetup& setup,
                                                            std::span<const double> epochs) const {
  std::size_t longest = 0;
  for (const Known& known : known_) {
    if (known.setup.data == setup.data) longest = std::max(longest, known.top1.size());
  }
  if (longest == 0) return abstain(fmt::format("no published training on {}", setup.data));
  const double distance = nearest(setup);
  if (distance > kFurthest) {
    return abstain(fmt::format(
        "no published training of {} on {} has a similar batch ({}) and learning rate ({})",
        setup.model, setup.data, setup.batch_per_gpu, setup.learning_rate));
  }
  const std::vector<double> predicted = means(setup, epochs);
  std::vector<CurvePrediction> curve;
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    if (!std::isfinite(predicted[i])) {
      return abstain(
          fmt::format("no similar training has {} epochs; the longest has {}", epochs[i], longest));
    }
    const double half = half_width(epochs[i]) * uncertainty_of(distance);
    curve.push_back(
        {epochs[i],
         {predicted[i], std::max(0.0, predicted[i] - half), std::min(1.0, predicted[i] + half)}});
  }
  return curve;
}

double chance_to_reach(double target, std::span<const CurvePrediction> predictions) {
  double chance = 0;
  for (const CurvePrediction& one : predictions) {
    const double deviation =
        std::max(1e-6, (one.accuracy.high - one.accuracy.low) / 2 / kDeviations90);
    const double off = (one.accuracy.value - target) / deviation;
    chance = std::max(chance, std::erfc(-off / std::numbers::sqrt2) / 2);
  }
  return chance;
}

}  // namespace tacho
