#pragma once

#include <memory>

#include "advise/predictors.h"
#include "base/result.h"
#include "store/run_store.h"

namespace tacho {

// All that this build knows of step times: of the machine 'here' by its own runs, of others by the
// speed model where it is built in, then what MLPerf's submissions had.
Result<std::unique_ptr<StepPredictor>> open_step_predictors(RunStore& store);

}  // namespace tacho
