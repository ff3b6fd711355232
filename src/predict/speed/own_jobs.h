#pragma once

#include <optional>
#include <vector>

#include "predict/speed/learning_set.h"
#include "predict/speed/own_run.h"

namespace tacho {

// Converts a run into the form of a published figure. Nothing unless it used Tacho's defaults on
// one GPU of the catalog: no launches one by one, no torch kernels, no other layout.
std::optional<MeasuredJob> measured_job(const OwnRun& run, const GpuCatalog& gpus);

// Returns own runs as training examples for other GPUs. Models without known costs are ignored.
std::vector<TrainingExample> own_examples(const std::vector<OwnRun>& runs, const GpuCatalog& gpus,
                                          const PointMaker& points);

}  // namespace tacho
