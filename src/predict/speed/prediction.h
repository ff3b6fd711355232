#pragma once

#include <cmath>
#include <string>

#include "base/estimate.h"
#include "predict/speed/cost_model.h"

namespace tacho {

struct Prediction {
  Estimate samples_per_s;                // of the whole job; 0: unknown, `reason` says why
  double most_samples_per_s = HUGE_VAL;  // that the data sheet allows
  double step_seconds = 0;
  double memory_gb = 0;      // per GPU
  bool memory_known = true;  // as certain as the model's cost
  bool fits = true;          // in the GPU's memory; also true if that is unknown
  bool in_domain = true;
  std::string reason;    // abstention reason
  std::string software;  // that is assumed: "tacho", "pytorch"
  StepShares shares;     // of the step
  [[nodiscard]] bool known() const { return samples_per_s.value > 0; }
};

// A job about which nothing can be said.
Prediction unknown_prediction(std::string reason);

}  // namespace tacho
