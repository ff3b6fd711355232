#pragma once

#include <map>
#include <string>

#include "predict/speed/own_speed.h"
#include "predict/speed/prediction.h"
#include "predict/speed/training_job.h"

namespace tacho {

// Predicts jobs of Tacho's own models, trained by Tacho. Keeps what jobs have in common, so that
// many are fast; belongs to one thread.
class OwnPredictions {
 public:
  explicit OwnPredictions(const OwnSpeed& speed) : speed_(speed) {}

  // ErrorCode::unavailable has the reason why nothing is known.
  Result<Prediction> of(const TrainingJob& job, const GpuSpec& gpu);

 private:
  const OwnSpeed& speed_;
  std::map<std::string, OwnSpeed::Curve> curves_;
};

}  // namespace tacho
