#include "cli/run_predictors.h"

#include "cli/own_model_costs.h"
#include "cli/own_models_csv.h"
#include "predict/own_runs.h"
#include "probe/host_probe.h"

namespace tacho {
namespace {

constexpr std::int64_t kMostRuns = 400;

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

Result<std::vector<OwnRun>> runs_in(RunStore& store) {
  RunQuery query{.limit = kMostRuns};
  TACHO_TRY(well, parse_filter("outcome=ok"));
  query.filters.push_back(well);
  TACHO_TRY(rows, store.list(query));
  std::vector<OwnRun> runs;
  for (const RunRow& row : rows) {
    const auto stored = store.find(row.key);
    if (!stored.ok()) continue;
    if (auto run = own_run_of(stored->record)) runs.push_back(*std::move(run));
  }
  return runs;
}

}  // namespace

Result<OwnModelCosts> own_model_costs() {
  return OwnModelCosts::parse(kOwnModelsCsv).in("own_models.csv");
}

Result<std::unique_ptr<RunPredictor>> open_run_predictor(RunStore& store) {
  TACHO_TRY(costs, own_model_costs());
  TACHO_TRY(runs, runs_in(store));
  if (runs.empty()) return Error{ErrorCode::unavailable, "no run was made here yet"};
  TACHO_TRY(learned, OwnRuns::learn(runs, read_host(), costs));
  return std::unique_ptr<RunPredictor>(std::make_unique<LearnedRuns>(std::move(learned)));
}

}  // namespace tacho
