#pragma once

#include <memory>

#include "base/result.h"
#include "core/store/run_store.h"
#include "predict/rent/run_predictor.h"

namespace tacho {

// Fits a predictor to the runs of the store and to those that come with Tacho, if they were made on
// a similar machine. Fails with ErrorCode::unavailable in a build without predictions.
Result<std::unique_ptr<RunPredictor>> open_run_predictor(RunStore& store);

}  // namespace tacho
