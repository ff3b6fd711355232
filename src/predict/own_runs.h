#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "predict/own_model_costs.h"
#include "predict/own_run.h"

namespace tacho {

// Nine of ten measurements lie within low … high.
struct Foretold {
  double value = 0;
  double low90 = 0;
  double high90 = 0;
};

struct RunForecast {
  Foretold step_seconds;
  Foretold memory_bytes;  // as OwnRun has it; leans to the high side: too little ends a run
  std::string basis;      // "157 configurations on NVIDIA H200, 28 of them of distilbert"
};

// Foretells runs that were not made from runs that were made on the same machine: the same GPU, or
// without one the same processor and cores.
class OwnRuns {
 public:
  // Of `runs`, those made where `here` is. There may be none: then nothing can be foretold.
  // Takes a second or two for hundreds of configurations.
  static Result<OwnRuns> learn(std::span<const OwnRun> runs, const Host& here,
                               const OwnModelCosts& costs);

  OwnRuns(OwnRuns&&) noexcept;
  OwnRuns& operator=(OwnRuns&&) noexcept;
  ~OwnRuns();

  // ErrorCode::unavailable, with the reason, where the machine's runs do not tell. A larger batch
  // never needs less memory.
  [[nodiscard]] Result<RunForecast> predict(const RunSpec& spec) const;

 private:
  class Learned;
  OwnRuns();
  [[nodiscard]] const std::unique_ptr<Learned>& of(Device device) const {
    return device == Device::cuda ? cuda_ : cpu_;
  }

  Host here_;
  std::unique_ptr<Learned> cpu_;  // empty where no run is known
  std::unique_ptr<Learned> cuda_;
};

// The same machine as far as speeds go.
bool same_machine(const Host& a, const Host& b, Device device);

}  // namespace tacho
