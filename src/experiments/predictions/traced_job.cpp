#include "experiments/predictions/traced_job.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/shell_words.h"
#include "core/record/metric.h"
#include "experiments/runner/gathered_run.h"
#include "predict/accuracy/abstain.h"
#include "predict/rent/kernel_scaling.h"
#include "predict/speed/gpu_catalog.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

// With less confidence, the detected period may not be a training step.
constexpr double kLeastConfidence = 0.5;

KernelBound bound_of(const KernelLoad& load) {
  if (load.tensor_cores) return KernelBound::tensor_cores;
  const bool computes = load.kind == KernelClass::convolution || load.kind == KernelClass::product;
  return computes ? KernelBound::arithmetic : KernelBound::memory;
}

MeasuredStep measured_step(const GpuFindings& gpu) {
  MeasuredStep step;
  for (const KernelLoad& load : gpu.loads) {
    if (load.kind == KernelClass::communication) continue;
    step.kernels.push_back({.bound = bound_of(load),
                            .seconds = load.seconds_per_step,
                            .threads = load.threads > 0 ? load.threads : kFillsAnyGpu});
  }
  double busy = 0;
  for (const auto& kernels : step.kernels) busy += kernels.seconds;
  // Launch gaps are the host's work, which a slower GPU hides.
  step.waiting = std::max(0.0, gpu.steps.period_s - busy - gpu.parts.launch_gaps);
  step.host_work =
      std::max(gpu.signs.host_work_s,
               gpu.parts.launch_gaps > 0.1 * gpu.steps.period_s ? gpu.steps.period_s : 0.0);
  return step;
}

// Drivers append details to the names in catalogs: "NVIDIA H100 80GB HBM3".
Result<const GpuSpec*> find_by_driver(const GpuCatalog& gpus, const std::string& name) {
  auto found = gpus.find(name);
  std::string part = name;
  while (!found.ok() && part.find(' ') != std::string::npos) {
    part.resize(part.rfind(' '));
    if (auto shorter = gpus.find(part); shorter.ok()) return shorter;
  }
  return found;
}

class TracedSteps final : public StepPredictor {
 public:
  TracedSteps(GpuCatalog gpus, const GpuSpec& from, MeasuredStep step, Precision precision,
              std::optional<double> memory_bytes)
      : gpus_(std::move(gpus)),
        from_(from),
        step_(std::move(step)),
        precision_(precision),
        memory_bytes_(memory_bytes) {}

  Result<StepPrediction> step(const Job& /*job*/, const Plan& plan) const override {
    if (plan.instance.gpus == 0) return abstain("the run needs a GPU");
    if (plan.ranks() > 1) {
      return abstain("a run traced on one GPU has no measurements of the exchange between GPUs");
    }
    const auto& all = gpus_.all();
    const auto to = std::ranges::find(all, plan.instance.gpu, &GpuSpec::name);
    if (to == all.end()) {
      return abstain(fmt::format("{} is not in the catalog of GPUs", plan.instance.gpu));
    }
    StepPrediction prediction;
    prediction.seconds =
        step_on_another(step_, rates_of(from_, precision_), rates_of(*to, precision_));
    prediction.memory_bytes = memory_bytes_;
    prediction.fits = !memory_bytes_ || *memory_bytes_ <= to->memory_gb * 1e9;
    prediction.input_share = std::min(1.0, step_.waiting / prediction.seconds.value);
    return prediction;
  }

 private:
  GpuCatalog gpus_;
  GpuSpec from_;
  MeasuredStep step_;
  Precision precision_;
  std::optional<double> memory_bytes_;
};

std::optional<double> memory_of(const RunRecord& record) {
  for (const auto& [metric, value] : metrics_of(record)) {
    if (metric->key == metric::kDeviceMemory.key || metric->key == metric::kGpuMemory.key) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

GpuRates rates_of(const GpuSpec& gpu, Precision precision) {
  const bool tf32 = precision == Precision::tf32 || precision == Precision::fp32;
  return {gpu.fp32_tflops, tf32 ? gpu.tf32_tflops : gpu.half_tflops, gpu.memory_gb_per_s};
}

Result<TracedJob> open_traced_job(RunStore& store, const std::string& handle, const Say& say) {
  TACHO_TRY(run, gather_run(store, handle, say));
  const RunFindings& findings = run.findings;
  const RunOrder& order = findings.record.order;
  const GpuFindings* gpu = findings.gpu();
  if (gpu == nullptr) {
    return Error{
        ErrorCode::usage,
        fmt::format("run {} has no GPU trace to scale; make one with 'tacho run -- …' on a "
                    "machine with an NVIDIA GPU, or 'tacho train --trace'",
                    findings.id)};
  }
  if (gpu->steps.begins_ns.size() < 2 || gpu->steps.confidence < kLeastConfidence) {
    return Error{ErrorCode::usage,
                 fmt::format("run {}: no training step was found in its kernels; let it run for "
                             "more steps",
                             findings.id)};
  }
  TACHO_TRY(gpus, GpuCatalog::parse(shipped_gpus_csv()).in("gpus.csv"));
  TACHO_TRY(from, find_by_driver(gpus, gpu->gpu).in(fmt::format("run {}", findings.id)));
  TracedJob job;
  job.precision = order.command ? Precision::fp16 : order.spec.precision;
  job.batch = order.command ? order.command->batch : order.spec.batch;
  job.steps = static_cast<std::int64_t>(gpu->steps.begins_ns.size()) - 1;
  if (!findings.record.steps.seconds.empty()) job.steps = std::ssize(findings.record.steps.seconds);
  job.command = order.command ? "tacho run -- " + shell_quoted(order.command->argv)
                              : fmt::format("tacho train {} --data {} -b {} --device cuda",
                                            order.spec.model, order.spec.data, order.spec.batch);
  job.title = fmt::format("run {}, {}", findings.id,
                          order.command ? shell_quoted(order.command->argv) : order.spec.model);
  job.predictor = std::make_unique<TracedSteps>(gpus, *from, measured_step(*gpu), job.precision,
                                                memory_of(findings.record));
  return job;
}

}  // namespace tacho
