#include "experiments/predictions/own_runs_here.h"

#include <cstdlib>
#include <string_view>

#include "machine/probe/host_probe.h"
#include "predict/speed/own_jobs.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

constexpr std::int64_t kMostRuns = 600;

class LearnedRuns final : public RunPredictor {
 public:
  explicit LearnedRuns(OwnRuns runs) : runs_(std::move(runs)) {}

  Result<OwnPrediction> run(const RunSpec& spec) const override {
    TACHO_TRY(predicted, runs_.predict(spec));
    OwnPrediction prediction{.step_seconds = predicted.step_seconds, .basis = predicted.basis};
    if (predicted.memory_bytes.value > 0) prediction.memory_bytes = predicted.memory_bytes;
    return prediction;
  }

 private:
  OwnRuns runs_;
};

}  // namespace

std::unique_ptr<RunPredictor> predictor_by(OwnRuns runs) {
  return std::make_unique<LearnedRuns>(std::move(runs));
}

Result<OwnModelCosts> shipped_own_model_costs() {
  return OwnModelCosts::parse(shipped_own_models_csv()).in("own_models.csv");
}

Result<std::vector<OwnRun>> shipped_own_runs() {
  return read_own_runs(shipped_corpus()).in("data/corpus");
}

bool includes_disturbed_runs() {
  const char* value = std::getenv("TACHO_INCLUDE_DISTURBED");
  return value != nullptr && std::string_view(value) == "1";
}

Result<std::vector<OwnRun>> stored_own_runs(RunStore& store, bool include_disturbed) {
  RunQuery query{.limit = kMostRuns};
  TACHO_TRY(well, parse_filter("outcome=ok"));
  query.filters.push_back(well);
  TACHO_TRY(rows, store.list(query));
  std::vector<OwnRun> runs;
  for (const RunRow& row : rows) {
    const auto stored = store.find(row.key);
    // Skips damaged records.
    if (!stored.ok()) continue;
    if (auto run = own_run_of(stored->record, include_disturbed)) runs.push_back(*std::move(run));
  }
  return runs;
}

Result<std::vector<OwnRun>> known_own_runs(RunStore& store, bool include_disturbed) {
  TACHO_TRY(runs, stored_own_runs(store, include_disturbed));
  TACHO_TRY(shipped, shipped_own_runs());
  runs.insert(runs.end(), shipped.begin(), shipped.end());
  return runs;
}

Result<std::vector<MeasuredJob>> own_measurements(RunStore& store, const GpuCatalog& gpus,
                                                  bool include_disturbed) {
  TACHO_TRY(runs, stored_own_runs(store, include_disturbed));
  std::vector<MeasuredJob> out;
  for (const OwnRun& run : runs) {
    if (auto job = measured_job(run, gpus)) out.push_back(*std::move(job));
  }
  return out;
}

Result<OwnRuns> own_runs_here(RunStore& store) {
  TACHO_TRY(costs, shipped_own_model_costs());
  TACHO_TRY(runs, known_own_runs(store));
  return OwnRuns::learn(runs, read_host(), costs);
}

Result<std::unique_ptr<RunPredictor>> open_run_predictor(RunStore& store) {
  TACHO_TRY(learned, own_runs_here(store));
  return predictor_by(std::move(learned));
}

}  // namespace tacho
