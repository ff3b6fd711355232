#include "cli/run_predictors.h"

#include "cli/own_runs_here.h"

namespace tacho {

Result<std::unique_ptr<RunPredictor>> open_run_predictor(RunStore& store) {
  TACHO_TRY(learned, own_runs_here(store));
  return predictor_by(std::move(learned));
}

}  // namespace tacho
