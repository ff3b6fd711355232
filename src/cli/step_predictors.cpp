#include "cli/step_predictors.h"

#include "advise/published_steps.h"
#include "cli/predicted_steps.h"
#include "cli/speed_model_files.h"

namespace tacho {

Result<std::unique_ptr<StepPredictor>> open_step_predictors() {
  TACHO_TRY(predictor, open_predictor(std::nullopt));
  std::vector<std::unique_ptr<StepPredictor>> both;
  both.push_back(std::make_unique<PredictedSteps>(std::move(predictor)));
  both.push_back(std::make_unique<PublishedSteps>(published_time_records()));
  return std::unique_ptr<StepPredictor>(std::make_unique<StepPredictors>(std::move(both)));
}

}  // namespace tacho
