#pragma once

#include <map>
#include <span>
#include <string>

#include "base/estimate.h"
#include "base/result.h"
#include "predict/accuracy/effects_fit.h"
#include "predict/accuracy/training_run.h"

namespace tacho {

// Time of an epoch, with its evaluation, as published trainings took it:
//
//   samples × input + steps × step + samples × work + steps × exchange of gradients
//
// The parts add up because the trainings synchronise in every step. Parts depend on the GPU, the
// model and the host; these effects are fitted to the logarithm of each training's median epoch.
class EpochTimeModel {
 public:
  // Needs at least one run.
  explicit EpochTimeModel(std::span<const TrainingRun> runs);

  // Abstains with ErrorCode::unavailable for models, datasets and GPUs without trainings. A setup
  // that was measured is answered by its measurements.
  [[nodiscard]] Result<Estimate> epoch_seconds(const TrainingSetup& setup) const;

 private:
  struct Costs {
    double gmacs = 0;
    double params_m = 0;
  };
  [[nodiscard]] EffectsPoint point_of(const TrainingSetup& setup) const;
  [[nodiscard]] EffectsFit fit() const;

  std::map<std::string, Costs> models_;
  std::map<TrainingSetup, Estimate> measured_;
  EffectsFit fit_;
};

// Returns the family of cards that share a chip: "V100" for "V100-SXM2-16GB".
std::string chip_of(const std::string& gpu);

}  // namespace tacho
