#include "predict/speed/job_point.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "predict/speed/mlperf_model.h"
#include "predict/speed/model_family.h"

namespace tacho {
namespace {

// Placeholder for an unknown cost: such a job is compared only with others of its model.
SampleCost unknown_cost() { return {.gmacs = 1, .macts_m = 3, .params_m = 10}; }

// Fills half of the memory with activations, as is common.
double usual_batch(const SampleCost& cost, const GpuSpec& gpu) {
  constexpr double kBytesKept = 4;  // per activation, with its gradient
  return std::clamp(0.5 * gpu.memory_gb * 1e3 / (cost.macts_m * kBytesKept), 1.0, 256.0);
}

std::string_view precision_label(NumberFormat format) {
  switch (format) {
    case NumberFormat::fp32:
      return "fp32";
    case NumberFormat::tf32:
      return "tf32";
    case NumberFormat::half:
      return "amp";
    case NumberFormat::pure_half:
      return "fp16";
    case NumberFormat::fp8:
      return "fp8";
  }
  broken_invariant("number format without a name");
}

// Orders architectures by the maker's number or by year.
double generation(std::string_view architecture) {
  constexpr std::array<std::pair<std::string_view, double>, 12> kKnown = {{{"Kepler", 3.5},
                                                                           {"Maxwell", 5},
                                                                           {"Pascal", 6},
                                                                           {"Volta", 7},
                                                                           {"Turing", 7.5},
                                                                           {"Ampere", 8},
                                                                           {"Ada", 8.9},
                                                                           {"Hopper", 9},
                                                                           {"Blackwell", 10},
                                                                           {"CDNA", 7},
                                                                           {"CDNA2", 8},
                                                                           {"RDNA3", 8.9}}};
  for (const auto& [name, number] : kKnown) {
    if (name == architecture) return number;
  }
  return 8;
}

// Keeps logarithms finite.
SampleCost at_least_a_little(SampleCost cost) {
  return {.gmacs = std::max(cost.gmacs, 1e-5),
          .macts_m = std::max(cost.macts_m, 1e-5),
          .params_m = std::max(cost.params_m, 0.003),
          .units = std::max(cost.units, 1.0)};
}

}  // namespace

JobPoint PointMaker::of(const TrainingJob& job) const {
  const auto gpu = gpus_.find(job.gpu);
  if (!gpu.ok()) broken_invariant("the GPU of the job is not in the catalog");
  return of(job, **gpu);
}

JobPoint PointMaker::of(const TrainingJob& job, const GpuSpec& gpu) const {
  const ModelName name = model_name(meant_model(job, gpu));
  SoftwareStack stack = software_stack(job.framework);
  const auto known = costs_.of(job, name);
  const SampleCost cost = at_least_a_little(known.value_or(unknown_cost()));
  const StepWork work{
      .cost = cost,
      .batch = cost.units * (job.batch_per_gpu ? *job.batch_per_gpu : usual_batch(cost, gpu)),
      .format = number_format(job.precision),
      .transformer = job.family == "transformer" || (known && known->transformer),
      .num_gpus = job.num_gpus,
      .num_nodes = job.num_nodes};
  JobPoint point;
  point.labels = {name.canonical,
                  name.line,
                  model_family(name.canonical).layers,
                  std::move(stack.stack),
                  std::move(stack.release),
                  std::move(stack.framework),
                  std::string(precision_label(work.format)),
                  job.layout,
                  gpu.name,
                  gpu.architecture,
                  job.data_kind,
                  job.input_shape.empty() && known ? known->shape : job.input_shape,
                  work.transformer         ? "transformer"
                  : known && !known->rough ? "image"
                                           : "other",
                  name.kin};
  point.cost_known = known && !known->rough;
  point.batch_known = job.batch_per_gpu.has_value();
  point.batch = work.batch;
  point.units = cost.units;
  point.gpus = work.num_gpus;
  point.modelled = model_step(work, gpu);
  point.memory_gb = model_memory_gb(work);
  point.log_modelled_step = std::log(point.modelled.step);
  const StepTime& t = point.modelled;
  const double peak = peak_tflops(gpu, work.format);
  const std::array<double, kMeasures> measures = {work.batch,
                                                  work.cost.gmacs,
                                                  work.cost.macts_m / work.cost.gmacs,
                                                  work.cost.params_m / work.cost.gmacs,
                                                  peak,
                                                  gpu.memory_gb_per_s / peak,
                                                  gpu.multiprocessors,
                                                  t.compute / t.memory,
                                                  t.launch / t.on_one_gpu,
                                                  t.optimizer / t.on_one_gpu,
                                                  std::max(work.num_gpus / work.num_nodes, 1.0),
                                                  work.num_nodes,
                                                  0.02 + t.exchange / t.on_one_gpu,
                                                  gpu.power_w / peak,
                                                  generation(gpu.architecture),
                                                  gpu.half_tflops / gpu.fp32_tflops};
  for (std::size_t i = 0; i < kMeasures; ++i) {
    point.measures[i] = static_cast<float>(std::log(measures[i]));
  }
  return point;
}

}  // namespace tacho
