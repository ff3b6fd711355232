#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/estimate.h"
#include "base/result.h"
#include "predict/speed/own_model_costs.h"
#include "predict/speed/own_run.h"

namespace tacho {

struct RunPrediction {
  Estimate step_seconds;
  Estimate memory_bytes;  // as in OwnRun; with a margin, because too little memory ends a run
  std::string basis;      // "157 configurations on NVIDIA H200, 28 of them of distilbert"
};

// Predicts runs from runs on the same machine: the same GPU, or without one the same processor and
// number of cores.
class OwnRuns {
 public:
  // Uses those of `runs` that were made on `here`; without any, every prediction abstains. Takes a
  // second or two for hundreds of configurations.
  static Result<OwnRuns> learn(std::span<const OwnRun> runs, const Host& here,
                               const OwnModelCosts& costs);

  OwnRuns(OwnRuns&&) noexcept;
  OwnRuns& operator=(OwnRuns&&) noexcept;
  ~OwnRuns();

  // Abstains with ErrorCode::unavailable and the reason. A larger batch never needs less memory.
  [[nodiscard]] Result<RunPrediction> predict(const RunSpec& spec) const;

 private:
  class Learned;
  OwnRuns();
  [[nodiscard]] const std::unique_ptr<Learned>& of(Device device) const {
    return device == Device::cuda ? cuda_ : cpu_;
  }

  Host here_;
  std::unique_ptr<Learned> cpu_;  // empty without runs
  std::unique_ptr<Learned> cuda_;
};

// Compares everything that affects speed.
bool same_machine(const Host& a, const Host& b, Device device);

}  // namespace tacho
