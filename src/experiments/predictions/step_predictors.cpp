#include "experiments/predictions/step_predictors.h"

#include "base/home.h"
#include "experiments/predictions/own_runs_here.h"
#include "experiments/predictions/predicted_steps.h"
#include "experiments/predictions/speed_model_files.h"
#include "predict/rent/input_limit.h"
#include "predict/rent/own_steps.h"
#include "predict/rent/published_steps.h"
#include "predict/speed/shipped.h"

namespace tacho {
Result<std::unique_ptr<StepPredictor>> open_step_predictors(RunStore& store) {
  std::vector<std::unique_ptr<StepPredictor>> both;
  TACHO_TRY(home, tacho_home());
  // There is no speed model before the first 'script/fit'.
  if (!shipped_speed_model().empty() || std::filesystem::exists(own_speed_model(home))) {
    TACHO_TRY(predictor, open_predictor(std::nullopt));
    TACHO_TRY(cpu, shipped_cpu_speed_model());
    TACHO_TRY(cpus, shipped_cpus());
    both.push_back(
        std::make_unique<PredictedSteps>(std::move(predictor), std::move(cpu), std::move(cpus)));
  }
  both.push_back(std::make_unique<PublishedSteps>(published_time_records()));
  std::unique_ptr<StepPredictor> steps =
      std::make_unique<InputLimited>(std::make_unique<StepPredictors>(std::move(both)));
  auto own = open_run_predictor(store);
  if (own.ok()) {
    return std::unique_ptr<StepPredictor>(
        std::make_unique<OwnSteps>(std::move(steps), *std::move(own), recommended_spec));
  }
  if (own.error().code == ErrorCode::unavailable) return steps;
  return own.error();
}

}  // namespace tacho
