#include "experiments/predictions/step_predictors.h"

#include <fmt/format.h>

#include "base/home.h"
#include "core/record/run_options.h"
#include "experiments/predictions/own_runs_here.h"
#include "experiments/predictions/predicted_steps.h"
#include "experiments/predictions/speed_model_files.h"
#include "predict/rent/input_limit.h"
#include "predict/rent/own_steps.h"
#include "predict/rent/published_steps.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

// Returns the training that the recommended command makes.
Result<RunSpec> recommended_spec(const Job& job, const Plan& plan) {
  RunSettings settings = {{"model", job.model},
                          {"data", job.data},
                          {"batch", std::to_string(plan.batch_per_gpu)},
                          {"workers", std::to_string(plan.workers)}};
  if (plan.instance.gpus > 0) {
    settings.emplace_back("device", "cuda");
    settings.emplace_back("precision", kPrecisions.of(plan.precision));
    settings.emplace_back("nproc", std::to_string(plan.instance.gpus));
  }
  TACHO_TRY(request, train_request(settings));
  return request.spec;
}

}  // namespace

Result<std::unique_ptr<StepPredictor>> open_step_predictors(RunStore& store) {
  std::vector<std::unique_ptr<StepPredictor>> both;
  TACHO_TRY(home, tacho_home());
  // There is no speed model before the first 'script/fit'.
  if (!shipped_speed_model().empty() || std::filesystem::exists(own_speed_model(home))) {
    TACHO_TRY(predictor, open_predictor(std::nullopt));
    both.push_back(std::make_unique<PredictedSteps>(std::move(predictor)));
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
