#pragma once

#include <memory>

#include "base/result.h"
#include "core/store/run_store.h"
#include "predict/rent/predictors.h"

namespace tacho {

// Opens all predictors of step times: own runs for the machine 'here', the speed model, then
// published MLPerf submissions.
Result<std::unique_ptr<StepPredictor>> open_step_predictors(RunStore& store);

}  // namespace tacho
