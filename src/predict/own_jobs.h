#pragma once

#include <optional>
#include <vector>

#include "predict/learning_set.h"
#include "predict/own_run.h"

namespace tacho {

// A run as a published figure would name it. Nothing where it was not made as Tacho trains by
// itself on one GPU of the catalogue: launched one by one, by torch's own kernels, in another
// layout.
std::optional<MeasuredJob> measured_job(const OwnRun& run, const GpuCatalog& gpus);

// What own runs teach of other GPUs: how fast Tacho is. Models whose costs no catalogue has are
// left out.
std::vector<Lesson> own_lessons(const std::vector<OwnRun>& runs, const GpuCatalog& gpus,
                                const PointMaker& points);

}  // namespace tacho
