// Stands in for everything that needs XGBoost in a build without it.

#include <CLI/CLI.hpp>

#include "cli/commands.h"
#include "cli/prediction_request.h"
#include "cli/run_predictors.h"
#include "cli/step_predictors.h"
#include "cli/study_predictors.h"
#include "cli/traced_job.h"
#include "predict/rent/published_steps.h"

namespace tacho {
namespace {

Error without_xgboost() {
  return {
      ErrorCode::unavailable,
      "built without XGBoost: predictions are unavailable; run script/bootstrap and script/build "
      "on a machine where it can be installed"};
}

void add_absent(CLI::App& app, Context& context, const char* name, const char* help) {
  CLI::App* command = app.add_subcommand(name, help);
  command->allow_extras();
  command->callback([&context] { context.run([]() -> Result<int> { return without_xgboost(); }); });
}

}  // namespace

Result<Json> predict_request(const Json& /*request*/) { return without_xgboost(); }

Result<std::unique_ptr<RunPredictor>> open_run_predictor(RunStore& /*store*/) {
  return without_xgboost();
}

Result<std::unique_ptr<StepPredictor>> open_step_predictors(RunStore& /*store*/) {
  return std::unique_ptr<StepPredictor>(std::make_unique<PublishedSteps>(published_time_records()));
}

Result<TracedJob> open_traced_job(RunStore& /*store*/, const std::string& /*handle*/,
                                  const Context& /*context*/) {
  return without_xgboost();
}

StudyPredictors study_predictors() {
  return {
      .learn = [](const auto&) -> Result<std::unique_ptr<RunPredictor>> {
        return without_xgboost();
      },
      .corpus = [](std::int64_t) -> Result<std::vector<CorpusScore>> { return without_xgboost(); }};
}

void add_predict_command(CLI::App& app, Context& context) {
  add_absent(app, context, "predict", "predict the speed of a training (not in this build)");
}

void add_catalog_command(CLI::App& app, Context& context) {
  add_absent(app, context, "catalog", "list instances and their prices (not in this build)");
}

void add_fit_command(CLI::App& app, Context& context) {
  add_absent(app, context, "fit", "fit the prediction model (not in this build)");
}

void add_evaluate_command(CLI::App& app, Context& context) {
  add_absent(app, context, "evaluate", "cross-validate predictions (not in this build)");
}

}  // namespace tacho
