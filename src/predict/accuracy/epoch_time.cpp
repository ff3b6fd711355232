#include "predict/accuracy/epoch_time.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "core/record/statistics.h"
#include "predict/accuracy/abstain.h"

namespace tacho {
namespace {

// Of CIFAR-10, the only dataset of these trainings. Every rank evaluates all samples.
constexpr double kTrainSamples = 50000;
constexpr double kEvalSamples = 10000;
constexpr double kForwardShare = 1.0 / 3;  // of the work of a training step

// A run repeats its median epoch to about this, on another host of the same kind less exactly.
constexpr double kRunNoise = 0.06;

// Kinds of effects, all logarithms except the exponents.
enum Kind : std::size_t {
  kInput,         // seconds per sample, with one or with several GPUs
  kInputGpu,      // the hosts of a kind of GPU
  kInputHost,     // with several GPUs, those on which the larger or the smaller models ran
  kInputRecipe,   // of trainings with another learning rate, which used another script
  kInputWorkers,  // exponent
  kStep,          // seconds per step and 20 million parameters
  kStepChip,
  kStepModel,
  kWork,  // seconds per sample of 0.08 · 10⁹ multiply-adds
  kWorkExponent,
  kWorkChip,
  kWorkModel,
  kExchange,  // seconds per step and 20 million parameters
  kExchangeGpu,
  kKinds
};

// Wide for what the data determine, narrow for differences between hosts, chips and models.
std::vector<EffectPrior> priors() {
  std::vector<EffectPrior> priors(kKinds);
  priors[kInput] = {std::log(2e-4), 2};
  priors[kInputGpu] = {0, 0.4};
  priors[kInputHost] = {0, 0.4};
  priors[kInputRecipe] = {0, 2};
  priors[kInputWorkers] = {0.2, 0.2};
  priors[kStep] = {std::log(0.02), 1.5};
  priors[kStepChip] = {0, 0.3};
  priors[kStepModel] = {0, 0.15};
  priors[kWork] = {std::log(2e-4), 1.5};
  priors[kWorkExponent] = {0.7, 0.3};
  priors[kWorkChip] = {0, 0.4};
  priors[kWorkModel] = {0, 0.15};
  priors[kExchange] = {std::log(0.02), 1.5};
  priors[kExchangeGpu] = {0, 0.7};
  return priors;
}

// Trainings with learning rate 0.01 used a script that enlarges the images before it crops them;
// those with 0.1 did not. Returns "" for the latter.
std::string recipe_of(const TrainingSetup& setup) {
  constexpr double kBetween = 0.03;
  return setup.learning_rate > kBetween ? "" : "enlarged";
}

// With several GPUs, the larger models ran on other hosts than the smaller ones: their evaluations
// of the same images took almost twice as long on P40.
std::string host_of(double gmacs) {
  constexpr double kLarge = 0.08;
  return gmacs > kLarge ? " of larger models" : " of smaller models";
}

Estimate measured_time(std::vector<double> seconds) {
  // One training does not show how others differ from it.
  constexpr double kLeast = 0.02;
  const double middle = median(seconds);
  return {middle, std::min(quantile(seconds, 0.05), middle * (1 - kLeast)),
          std::max(quantile(seconds, 0.95), middle * (1 + kLeast))};
}

std::map<TrainingSetup, Estimate> measured_times(std::span<const TrainingRun> runs) {
  std::map<TrainingSetup, std::vector<double>> seconds;
  for (const TrainingRun& run : runs) {
    auto& all = seconds[run.setup];
    all.insert(all.end(), run.epoch_seconds.begin(), run.epoch_seconds.end());
  }
  std::map<TrainingSetup, Estimate> times;
  for (auto& [setup, all] : seconds) times[setup] = measured_time(std::move(all));
  return times;
}

}  // namespace

std::string chip_of(const std::string& gpu) { return gpu.substr(0, gpu.find('-')); }

EpochTimeModel::EpochTimeModel(std::span<const TrainingRun> runs)
    : models_([&] {
        std::map<std::string, Costs> models;
        for (const TrainingRun& run : runs) models[run.setup.model] = {run.gmacs, run.params_m};
        return models;
      }()),
      measured_(measured_times(runs)),
      fit_(fit()) {}

EffectsFit EpochTimeModel::fit() const {
  std::vector<EffectsFit::Measurement> measurements;
  for (const auto& [setup, seconds] : measured_) {
    measurements.push_back({point_of(setup), std::log(seconds.value)});
  }
  return {priors(), kRunNoise, measurements};
}

EffectsPoint EpochTimeModel::point_of(const TrainingSetup& setup) const {
  const bool several = setup.gpus > 1;
  const std::string chip = chip_of(setup.gpu);
  const std::string mode = several ? "several" : "one";
  const Costs costs = models_.at(setup.model);
  EffectsPoint point;
  point.effects.resize(kKinds);
  for (std::size_t kind = 0; kind < kKinds; ++kind) point.effects[kind].kind = kind;
  const auto level = [&](Kind kind, std::string name) {
    point.effects[kind].level = std::move(name);
  };
  level(kInput, mode);
  level(kInputGpu, several ? setup.gpu : chip + " alone");
  level(kInputHost, several ? setup.gpu + host_of(costs.gmacs) : "");
  level(kInputRecipe, recipe_of(setup));
  level(kStepChip, chip);
  level(kStepModel, setup.model);
  level(kWorkChip, chip);
  level(kWorkModel, setup.model);
  level(kExchangeGpu, several ? setup.gpu : "");

  const double ranks_sharing = setup.data_split == DataSplit::part ? setup.gpus : 1;
  const double samples = kTrainSamples / ranks_sharing;
  const double steps = std::ceil(samples / setup.batch_per_gpu);
  const double usual_workers = several ? 16 : 4;
  const double workers = std::log(std::max(setup.workers, 1.0) / usual_workers);
  const bool usual = recipe_of(setup).empty();
  point.value = [=](std::span<const double> e) {
    const double prepared = e[kInput] + e[kInputGpu] + (several ? e[kInputHost] : 0) +
                            (usual ? 0 : e[kInputRecipe]) - e[kInputWorkers] * workers;
    const double size = costs.params_m / 20;
    const double worked =
        std::log(costs.gmacs / 0.08) * e[kWorkExponent] + e[kWork] + e[kWorkChip] + e[kWorkModel];
    double seconds = (samples + kEvalSamples) * std::exp(prepared) +
                     steps * size * std::exp(e[kStep] + e[kStepChip] + e[kStepModel]) +
                     (samples + kForwardShare * kEvalSamples) * std::exp(worked);
    if (several) seconds += steps * size * std::exp(e[kExchange] + e[kExchangeGpu]);
    return std::log(seconds);
  };
  return point;
}

Result<Estimate> EpochTimeModel::epoch_seconds(const TrainingSetup& setup) const {
  if (!models_.contains(setup.model)) {
    return abstain(fmt::format("no published training of {}", setup.model));
  }
  std::set<std::string> chips;
  bool data_known = false;
  for (const auto& [known, seconds] : measured_) {
    chips.insert(chip_of(known.gpu));
    data_known = data_known || known.data == setup.data;
  }
  if (!data_known) return abstain(fmt::format("no published training on {}", setup.data));
  if (!chips.contains(chip_of(setup.gpu))) {
    return abstain(fmt::format("no published training on {}", setup.gpu));
  }
  if (const auto found = measured_.find(setup); found != measured_.end()) return found->second;
  const NormalEstimate log_seconds = fit_.at(point_of(setup));
  const double factor = std::exp(kDeviations90 * log_seconds.deviation);
  const double seconds = std::exp(log_seconds.value);
  return Estimate{seconds, seconds / factor, seconds * factor};
}

}  // namespace tacho
