#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "learn/range.h"
#include "record/run_spec.h"

namespace tacho {

// What a run on this machine will take.
struct OwnForecast {
  Range step_seconds;
  std::optional<Range> memory_bytes = {};   // the GPU's peak, or the process's where there is none
  std::optional<Range> total_seconds = {};  // from its start to its end
  std::string basis;                        // in words
};

// Foretells runs by those that were made here.
class RunPredictor {
 public:
  virtual ~RunPredictor() = default;
  // ErrorCode::unavailable, with the reason, where nothing that was made tells.
  [[nodiscard]] virtual Result<OwnForecast> run(const RunSpec& spec) const = 0;
};

}  // namespace tacho
