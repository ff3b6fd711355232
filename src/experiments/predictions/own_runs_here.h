#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "core/store/run_store.h"
#include "predict/rent/run_predictor.h"
#include "predict/speed/cpu_catalog.h"
#include "predict/speed/cpu_speed.h"
#include "predict/speed/own_runs.h"
#include "predict/speed/predictor.h"

namespace tacho {

Result<OwnModelCosts> shipped_own_model_costs();

// Returns the runs of data/corpus, made on other machines.
Result<std::vector<OwnRun>> shipped_own_runs();

// Returns true if predictions also use disturbed runs: TACHO_INCLUDE_DISTURBED=1.
bool includes_disturbed_runs();

// Returns the newest runs of this store. Adds the number of disturbed runs that it leaves out to
// `left_out`.
Result<std::vector<OwnRun>> stored_own_runs(RunStore& store,
                                            bool include_disturbed = includes_disturbed_runs(),
                                            std::size_t* left_out = nullptr);

// Returns the newest runs of this store, then those that come with Tacho.
Result<std::vector<OwnRun>> known_own_runs(RunStore& store,
                                           bool include_disturbed = includes_disturbed_runs(),
                                           std::size_t* left_out = nullptr);

// Adds to an abstention that disturbed runs were left out, and how to include them.
Error with_left_out(Error abstention, std::size_t left_out);

// Returns the runs of this store on GPUs of the catalog, in the form of published jobs.
Result<std::vector<MeasuredJob>> own_measurements(
    RunStore& store, const GpuCatalog& gpus, bool include_disturbed = includes_disturbed_runs());

// Opens a speed model, as open_predictor() does, with `further` GPUs, and calibrates it by the runs
// of this store.
Result<Predictor> open_calibrated_predictor(RunStore& store,
                                            const std::optional<std::string>& file = {},
                                            std::span<const GpuSpec> further = {},
                                            bool include_disturbed = includes_disturbed_runs());

// Predicts runs on one machine from its runs, and on a CPU without similar ones by the cost model.
class MachineRuns {
 public:
  static Result<MachineRuns> learn(std::span<const OwnRun> known, const Host& here);
  [[nodiscard]] Result<RunPrediction> predict(const RunSpec& spec) const;

 private:
  MachineRuns(OwnRuns own, CpuSpeed cpu) : own_(std::move(own)), cpu_(std::move(cpu)) {}

  OwnRuns own_;
  CpuSpeed cpu_;
  std::optional<CpuSpeed::Calibrated> here_;
};

// The CPUs of data/catalog.
Result<CpuCatalog> shipped_cpus();

// Adapts OwnRuns or MachineRuns to RunPredictor.
std::unique_ptr<RunPredictor> predictor_by(OwnRuns runs, std::size_t left_out = 0);
std::unique_ptr<RunPredictor> predictor_by(MachineRuns runs, std::size_t left_out = 0);

// Fits a predictor to the known runs on this machine.
Result<std::unique_ptr<RunPredictor>> open_run_predictor(RunStore& store);

}  // namespace tacho
