#pragma once

#include <memory>
#include <vector>

#include "advise/run_predictor.h"
#include "base/result.h"
#include "predict/own_runs.h"
#include "predict/predictor.h"
#include "store/run_store.h"

namespace tacho {

Result<OwnModelCosts> shipped_own_model_costs();

// Those of data/corpus, on machines that are not the user's.
Result<std::vector<OwnRun>> shipped_own_runs();

// Whether predictions also learn from runs that the machine was too busy for: where the user said
// so by TACHO_INCLUDE_DISTURBED=1.
bool includes_disturbed_runs();

// The newest that this store has recorded.
Result<std::vector<OwnRun>> stored_own_runs(RunStore& store,
                                            bool include_disturbed = includes_disturbed_runs());

// Runs that tell how fast machines are: the newest of this store, then those that come with Tacho.
Result<std::vector<OwnRun>> known_own_runs(RunStore& store,
                                           bool include_disturbed = includes_disturbed_runs());

// Those of this store on GPUs of the catalogue, as published jobs would be named.
Result<std::vector<MeasuredJob>> own_measurements(
    RunStore& store, const GpuCatalog& gpus, bool include_disturbed = includes_disturbed_runs());

// As others ask it.
std::unique_ptr<RunPredictor> predictor_by(OwnRuns runs);

// What they tell of this machine.
Result<OwnRuns> own_runs_here(RunStore& store);

}  // namespace tacho
