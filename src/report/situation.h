#pragma once

#include "report/roofline.h"
#include "report/run_findings.h"
#include "report/step_picture.h"

namespace tacho {

// What the rules of advice look at: a run's findings, reduced to the figures they compare.
struct Situation {
  const RunFindings& run;
  std::optional<StepPicture> step;

  // Of the GPU; all 0 without a traced one that made steps.
  const GpuFindings* gpu = nullptr;
  double step_s = 0;
  double busy_s = 0;  // a step, in which the GPU works
  double host_s = 0;  // a step, in which the host does anything but wait for the GPU
  // What a step would lose if the host never waited: then it and the GPU work side by side, and
  // the longer of the two is what a step takes. 0 where it does not wait in every step.
  double apart_share = 0;
  bool has_tensor_cores = false;
  bool has_tf32 = false;
  double gpu_memory_share = 0;  // the peak of what it has; 0 unknown

  // Of the processors.
  double cores_used = 0;  // 0 unknown
  double cores_allowed = 0;
};

Situation situation_of(const RunFindings& run);

}  // namespace tacho
