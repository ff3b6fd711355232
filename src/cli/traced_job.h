#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "advise/predictors.h"
#include "base/result.h"
#include "cli/context.h"
#include "record/run_spec.h"
#include "store/run_store.h"

namespace tacho {

// A run that was traced on a GPU, as something that could be run on another.
struct TracedJob {
  std::string title;    // "run 41, python3 train.py"
  std::string command;  // that makes it again
  std::int64_t batch = 1;
  std::int64_t steps = 0;  // it made
  Precision precision = Precision::fp32;
  std::unique_ptr<StepPredictor> predictor;  // its kernels, scaled by data sheets
};

Result<TracedJob> open_traced_job(RunStore& store, const std::string& handle,
                                  const Context& context);

}  // namespace tacho
