#pragma once

#include <memory>

#include "advise/predictors.h"
#include "base/result.h"
#include "store/run_store.h"

namespace tacho {

// Opens all predictors of step times: own runs for the machine 'here', the speed model if this
// build has it, then published MLPerf submissions.
Result<std::unique_ptr<StepPredictor>> open_step_predictors(RunStore& store);

}  // namespace tacho
