#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "base/result.h"
#include "core/record/run_spec.h"
#include "core/store/run_store.h"
#include "experiments/runner/gathered_run.h"
#include "predict/rent/kernel_scaling.h"
#include "predict/rent/predictors.h"
#include "predict/speed/gpu_catalog.h"

namespace tacho {

// A run traced on a GPU, as a job for other GPUs.
struct TracedJob {
  std::string title;                  // "run 41, python3 train.py"
  std::string command;                // repeats it
  std::optional<std::int64_t> batch;  // absent: a program whose batch was not given
  std::int64_t steps = 0;             // that it executed
  Precision precision = Precision::fp32;
  std::unique_ptr<StepPredictor> predictor;  // its kernels, scaled by data sheets
};

// Uses the tensor cores' rate of the run's precision; for programs 16 bits is assumed.
GpuRates rates_of(const GpuSpec& gpu, Precision precision);

Result<TracedJob> open_traced_job(RunStore& store, const std::string& handle, const Say& say);

}  // namespace tacho
