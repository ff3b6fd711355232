#include "tracing/report/situation.h"

#include <algorithm>

namespace tacho {
namespace {

// Uses the table of known GPUs, else the compute capability in the trace: tensor cores came with
// 7.0, TF32 with 8.0.
void set_tensor_cores(Situation& situation, const GpuProcess& process) {
  if (const GpuCeilings* known = find_ceilings(process.findings.gpu)) {
    situation.has_tensor_cores = known->fp16_flops > known->fp32_flops;
    situation.has_tf32 = known->tf32_flops > 0;
  } else if (!process.gpus.empty()) {
    situation.has_tensor_cores = process.gpus.front().compute_major >= 7;
    situation.has_tf32 = process.gpus.front().compute_major >= 8;
  }
}

double overlap_saving(const Situation& situation) {
  if (situation.gpu->signs.syncs_per_step < 0.9) return 0;
  return std::max(0.0, 1 - std::max(situation.host_s, situation.busy_s) / situation.step_s);
}

}  // namespace

Situation situation_of(const RunFindings& run) {
  Situation situation{.run = run, .step = step_breakdown_of(run)};
  const GpuFindings* gpu = run.gpu();
  if (gpu != nullptr && gpu->steps.begins_ns.size() > 1 && gpu->steps.period_s > 0) {
    situation.gpu = gpu;
    situation.step_s = gpu->steps.period_s;
    situation.busy_s = gpu->signs.gpu_busy_share * situation.step_s;
    situation.host_s =
        std::max(0.0, situation.step_s - gpu->signs.sync_wait_s - gpu->signs.queue_wait_s);
    situation.overlap_saving = overlap_saving(situation);
    set_tensor_cores(situation, run.processes.front());
  }
  if (run.used) {
    situation.cores_used = run.used->mean_cores;
    for (const GpuSummary& used : run.used->gpus) {
      if (used.memory_total_bytes <= 0) continue;
      const auto peak = static_cast<double>(used.max_memory_bytes);
      situation.gpu_memory_share =
          std::max(situation.gpu_memory_share, peak / static_cast<double>(used.memory_total_bytes));
    }
  }
  if (run.usage && run.usage->facts) {
    situation.cores_allowed = static_cast<double>(run.usage->facts->cores);
  }
  return situation;
}

}  // namespace tacho
