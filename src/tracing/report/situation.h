#pragma once

#include "tracing/report/roofline.h"
#include "tracing/report/run_findings.h"
#include "tracing/report/step_breakdown.h"

namespace tacho {

// Input of the advice rules: a run's findings, reduced to the quantities that the rules compare.
struct Situation {
  const RunFindings& run;
  std::optional<StepBreakdown> step;

  // GPU: all 0 without a traced process in which steps were found.
  const GpuFindings* gpu = nullptr;
  double step_s = 0;
  double busy_s = 0;  // per step: the GPU works
  double host_s = 0;  // per step: the host does anything but wait for the GPU
  // Share of a step saved if the host never waited: host and GPU then work in parallel, and a step
  // takes the longer of the two. 0 if the host does not wait in every step.
  double overlap_saving = 0;
  bool has_tensor_cores = false;
  bool has_tf32 = false;
  double gpu_memory_share = 0;  // peak over total; 0: unknown

  // CPU.
  double cores_used = 0;  // 0: unknown
  double cores_allowed = 0;
};

Situation situation_of(const RunFindings& run);

}  // namespace tacho
