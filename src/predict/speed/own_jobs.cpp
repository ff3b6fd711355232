#include "predict/speed/own_jobs.h"

#include "predict/speed/own_model_costs.h"
#include "predict/speed/run_point.h"

namespace tacho {
namespace {

bool as_by_itself(const RunSpec& spec) {
  return spec.device == Device::cuda && spec.dist.ranks() == 1 && !launches_one_by_one(spec) &&
         !spec.stock && spec.kernels != KernelKind::torch && spec.channels_last != Switch::off;
}

}  // namespace

std::optional<MeasuredJob> measured_job(const OwnRun& run, const GpuCatalog& gpus) {
  const RunSpec& spec = run.spec;
  if (!as_by_itself(spec)) return std::nullopt;
  std::string_view name = run.host.gpu;
  constexpr std::string_view kMaker = "NVIDIA ";
  if (name.starts_with(kMaker)) name.remove_prefix(kMaker.size());
  const auto gpu = gpus.find(name);
  if (!gpu.ok()) return std::nullopt;
  MeasuredJob out;
  out.job.model = spec.model;
  out.job.framework = kUsualFramework;
  out.job.precision = published_precision(spec.precision);
  out.job.gpu = (*gpu)->name;
  out.job.batch_per_gpu = static_cast<double>(spec.batch);
  out.job.input_shape = sample_size(spec).text;
  out.job.data_kind = is_synthetic(spec) ? "synthetic" : "real";
  out.samples_per_s = *out.job.batch_per_gpu / run.step_seconds;
  out.source = kOwnSource;
  return out;
}

std::vector<TrainingExample> own_examples(const std::vector<OwnRun>& runs, const GpuCatalog& gpus,
                                          const PointMaker& points) {
  std::vector<MeasuredJob> jobs;
  for (const OwnRun& run : runs) {
    if (auto job = measured_job(run, gpus)) jobs.push_back(*std::move(job));
  }
  std::vector<TrainingExample> examples = make_examples(jobs, points);
  std::erase_if(examples, [](const TrainingExample& example) { return !example.point.cost_known; });
  return examples;
}

}  // namespace tacho
