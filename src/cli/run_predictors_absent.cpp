#include "cli/run_predictors.h"

namespace tacho {

Result<std::unique_ptr<RunPredictor>> open_run_predictor(RunStore& /*store*/) {
  return Error{ErrorCode::unavailable, "this tacho was built without its predictor"};
}

}  // namespace tacho
