#include "cli/run_predictors.h"

#include "cli/own_runs_here.h"

namespace tacho {
namespace {

Range range_of(const Foretold& foretold) {
  return {foretold.value, foretold.low90, foretold.high90};
}

class LearnedRuns final : public RunPredictor {
 public:
  explicit LearnedRuns(OwnRuns runs) : runs_(std::move(runs)) {}

  Result<OwnForecast> run(const RunSpec& spec) const override {
    TACHO_TRY(foretold, runs_.predict(spec));
    OwnForecast forecast{.step_seconds = range_of(foretold.step_seconds), .basis = foretold.basis};
    if (foretold.memory_bytes.value > 0) forecast.memory_bytes = range_of(foretold.memory_bytes);
    return forecast;
  }

 private:
  OwnRuns runs_;
};

}  // namespace

Result<std::unique_ptr<RunPredictor>> open_run_predictor(RunStore& store) {
  TACHO_TRY(learned, own_runs_here(store));
  return std::unique_ptr<RunPredictor>(std::make_unique<LearnedRuns>(std::move(learned)));
}

}  // namespace tacho
