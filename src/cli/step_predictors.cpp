#include "cli/step_predictors.h"

#include <fmt/format.h>

#include "advise/input_limit.h"
#include "advise/own_steps.h"
#include "advise/published_steps.h"
#include "base/home.h"
#include "cli/predicted_steps.h"
#include "cli/run_predictors.h"
#include "cli/speed_model_files.h"
#include "cli/train_options.h"
#include "predict/shipped.h"

namespace tacho {
namespace {

// Parses the recommended command.
Result<RunSpec> recommended_spec(const Job& job, const Plan& plan) {
  std::vector<std::string> words = {job.model, "--data=" + job.data,
                                    fmt::format("--batch={}", plan.batch_per_gpu),
                                    fmt::format("--workers={}", plan.workers)};
  if (plan.instance.gpus > 0) {
    words.insert(words.end(),
                 {"--device=cuda", fmt::format("--precision={}", kPrecisions.of(plan.precision))});
    if (plan.instance.gpus > 1) words.push_back(fmt::format("--nproc={}", plan.instance.gpus));
  }
  TACHO_TRY(asked, read_train_words(words));
  TACHO_CHECK(check(asked.spec));
  return asked.spec;
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
