#pragma once

#include <string>

#include "predict/speed/gpu_catalog.h"
#include "predict/speed/training_job.h"

namespace tacho {

// MLPerf's "SSD" is SSD-300 up to round 1.1 and RetinaNet on 800x800 from 2.0 on (2022), with
// thirty times the work. The release of the software decides, otherwise GPU and batch. Other models
// keep their name.
std::string meant_model(const TrainingJob& job, const GpuSpec& gpu);

}  // namespace tacho
