#pragma once

#include <memory>

#include "advise/predictors.h"
#include "base/result.h"

namespace tacho {

// All that this build knows of step times: the speed model where it is built in, then what MLPerf's
// submissions had.
Result<std::unique_ptr<StepPredictor>> open_step_predictors();

}  // namespace tacho
