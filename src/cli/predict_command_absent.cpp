#include <CLI/CLI.hpp>

#include "cli/asked_prediction.h"
#include "cli/commands.h"

namespace tacho {
namespace {

Error without_xgboost() {
  return {ErrorCode::unavailable,
          "this tacho was built without XGBoost, which predictions need; run script/bootstrap and "
          "script/build where it can be installed"};
}

void add_absent(CLI::App& app, Context& context, const char* name, const char* help) {
  CLI::App* command = app.add_subcommand(name, help);
  command->allow_extras();
  command->callback([&context] { context.run([]() -> Result<int> { return without_xgboost(); }); });
}

}  // namespace

Result<Json> asked_prediction(const Json& /*asked*/) { return without_xgboost(); }

// For a build on a machine that lacks XGBoost.
void add_predict_command(CLI::App& app, Context& context) {
  add_absent(app, context, "predict", "how fast a training would be (not part of this build)");
}

void add_catalog_command(CLI::App& app, Context& context) {
  add_absent(app, context, "catalog", "GPUs, machines and prices (not part of this build)");
}

void add_fit_command(CLI::App& app, Context& context) {
  add_absent(app, context, "fit", "learn from measured jobs (not part of this build)");
}

void add_evaluate_command(CLI::App& app, Context& context) {
  add_absent(app, context, "evaluate", "how far predictions are off (not part of this build)");
}

}  // namespace tacho
