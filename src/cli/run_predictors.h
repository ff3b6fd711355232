#pragma once

#include <memory>

#include "advise/run_predictor.h"
#include "base/result.h"
#include "store/run_store.h"

namespace tacho {

// Learned from the runs of the store and from those Tacho ships with, as far as they were made on a
// machine like this one. ErrorCode::unavailable where there is none.
Result<std::unique_ptr<RunPredictor>> open_run_predictor(RunStore& store);

}  // namespace tacho
