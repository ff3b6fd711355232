#include "experiments/predictions/own_runs_here.h"

#include <fmt/format.h>

#include <cstdlib>
#include <string_view>

#include "core/record/model_catalog.h"
#include "experiments/predictions/speed_model_files.h"
#include "machine/probe/host_probe.h"
#include "predict/speed/own_jobs.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

constexpr std::int64_t kMostRuns = 600;

template <class Runs>
class LearnedRuns final : public RunPredictor {
 public:
  LearnedRuns(Runs runs, std::size_t left_out) : runs_(std::move(runs)), left_out_(left_out) {}

  Result<OwnPrediction> run(const RunSpec& spec) const override {
    const auto predicted = runs_.predict(spec);
    if (!predicted.ok()) return with_left_out(predicted.error(), left_out_);
    OwnPrediction prediction{.step_seconds = predicted->step_seconds, .basis = predicted->basis};
    if (predicted->memory_bytes.value > 0) prediction.memory_bytes = predicted->memory_bytes;
    return prediction;
  }

 private:
  Runs runs_;
  std::size_t left_out_;
};

}  // namespace

Error with_left_out(Error abstention, std::size_t left_out) {
  if (left_out > 0) {
    abstention.message += fmt::format(
        "; {} left out because other programs used the machine, TACHO_INCLUDE_DISTURBED=1 "
        "includes {}",
        left_out == 1 ? "1 run was" : fmt::format("{} runs were", left_out),
        left_out == 1 ? "it" : "them");
  }
  return abstention;
}

std::unique_ptr<RunPredictor> predictor_by(OwnRuns runs, std::size_t left_out) {
  return std::make_unique<LearnedRuns<OwnRuns>>(std::move(runs), left_out);
}

std::unique_ptr<RunPredictor> predictor_by(MachineRuns runs, std::size_t left_out) {
  return std::make_unique<LearnedRuns<MachineRuns>>(std::move(runs), left_out);
}

Result<CpuCatalog> shipped_cpus() { return CpuCatalog::parse(shipped_cpus_csv()).in("cpus.csv"); }

Result<MachineRuns> MachineRuns::learn(std::span<const OwnRun> known, const Host& here) {
  TACHO_TRY(costs, shipped_own_model_costs());
  TACHO_TRY(own, OwnRuns::learn(known, here, costs));
  TACHO_TRY(cpu, shipped_cpu_speed_model());
  TACHO_TRY(cpus, shipped_cpus());
  MachineRuns out(std::move(own), std::move(cpu));
  auto machine = cpus.of_host(here, read_vector_unit());
  if (machine) out.here_ = out.cpu_.calibrated(*std::move(machine), here, known);
  return out;
}

Result<RunPrediction> MachineRuns::predict(const RunSpec& spec) const {
  auto own = own_.predict(spec);
  if (own.ok() || own.error().code != ErrorCode::unavailable || !here_ ||
      spec.device != Device::cpu) {
    return own;
  }
  auto modelled = cpu_.predict(spec, *here_);
  if (modelled.ok()) return modelled;
  return Error{ErrorCode::unavailable, own.error().message + "; " + modelled.error().message};
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

Result<std::vector<OwnRun>> stored_own_runs(RunStore& store, bool include_disturbed,
                                            std::size_t* left_out) {
  RunQuery query{.limit = kMostRuns};
  TACHO_TRY(well, parse_filter("outcome=ok"));
  query.filters.push_back(well);
  TACHO_TRY(rows, store.list(query));
  std::vector<OwnRun> runs;
  for (const RunRow& row : rows) {
    const auto stored = store.find(row.key);
    // Skips damaged records, and language models, whose training is not predicted.
    if (!stored.ok() || tokens_per_sample(stored->record.order.spec)) continue;
    if (auto run = own_run_of(stored->record, include_disturbed)) {
      runs.push_back(*std::move(run));
    } else if (left_out != nullptr && own_run_of(stored->record, true)) {
      ++*left_out;
    }
  }
  return runs;
}

Result<std::vector<OwnRun>> known_own_runs(RunStore& store, bool include_disturbed,
                                           std::size_t* left_out) {
  TACHO_TRY(runs, stored_own_runs(store, include_disturbed, left_out));
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

Result<Predictor> open_calibrated_predictor(RunStore& store, const std::optional<std::string>& file,
                                            std::span<const GpuSpec> further,
                                            bool include_disturbed) {
  TACHO_TRY(predictor, open_predictor(file));
  for (const GpuSpec& gpu : further) predictor.add_gpu(gpu);
  TACHO_TRY(own, own_measurements(store, predictor.gpus(), include_disturbed));
  if (!own.empty()) TACHO_CHECK(predictor.calibrate(own, worker_threads()));
  return std::move(predictor);
}

Result<std::unique_ptr<RunPredictor>> open_run_predictor(RunStore& store) {
  std::size_t left_out = 0;
  TACHO_TRY(runs, known_own_runs(store, includes_disturbed_runs(), &left_out));
  TACHO_TRY(learned, MachineRuns::learn(runs, read_host()));
  return predictor_by(std::move(learned), left_out);
}

}  // namespace tacho
