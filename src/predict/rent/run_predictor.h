#pragma once

#include <optional>
#include <string>

#include "base/estimate.h"
#include "base/result.h"
#include "core/record/run_spec.h"

namespace tacho {

// The prediction of a run on this machine.
struct OwnPrediction {
  Estimate step_seconds;
  std::optional<Estimate> memory_bytes = {};   // peak of the GPU, or of the process without one
  std::optional<Estimate> total_seconds = {};  // from start to end
  std::string basis;                           // for people
};

// Predicts runs on this machine from earlier ones.
class RunPredictor {
 public:
  virtual ~RunPredictor() = default;
  // Abstains with ErrorCode::unavailable and the reason.
  [[nodiscard]] virtual Result<OwnPrediction> run(const RunSpec& spec) const = 0;
};

}  // namespace tacho
