#include "experiments/predictions/predicted_steps.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "core/record/run_options.h"
#include "experiments/predictions/speed_model_files.h"
#include "predict/accuracy/abstain.h"
#include "predict/speed/own_model_costs.h"

namespace tacho {
namespace {

StepPrediction prediction_of(const Plan& plan, const Prediction& prediction) {
  const auto batch = static_cast<double>(plan.batch());
  StepPrediction step;
  step.seconds = {batch / prediction.samples_per_s.value, batch / prediction.samples_per_s.high,
                  batch / prediction.samples_per_s.low};
  step.memory_bytes = prediction.memory_gb * 1e9;
  step.fits = prediction.fits;
  step.comm_share = std::clamp(prediction.shares.exchange, 0.0, 1.0);
  step.software = prediction.software;
  return step;
}

}  // namespace

Result<RunSpec> recommended_spec(const Job& job, const Plan& plan) {
  RunSettings settings = {{"model", job.model},
                          {"data", job.data},
                          {"batch", std::to_string(plan.batch_per_gpu)},
                          {"workers", std::to_string(plan.workers)}};
  if (plan.instance.gpus > 0) {
    settings.emplace_back("device", "cuda");
    settings.emplace_back("precision", kPrecisions.of(plan.precision));
    settings.emplace_back("nproc", std::to_string(plan.instance.gpus));
  }
  TACHO_TRY(request, train_request(settings));
  return request.spec;
}

Result<StepPrediction> PredictedSteps::on_cpu(const Job& job, const Plan& plan) const {
  const Instance& instance = plan.instance;
  if (plan.nodes > 1)
    return abstain("trainings on several machines without a GPU are not measured");
  const auto machine = cpus_.of_instance(instance.name, instance.vcpus);
  if (!machine) return abstain("the CPU of the machine is not in the catalog of CPUs");
  TACHO_TRY(spec, recommended_spec(job, plan));
  auto made = cpu_.predict(spec, {*machine});
  if (!made.ok()) return abstain(made.error().message);
  StepPrediction step;
  step.seconds = made->step_seconds;
  step.memory_bytes = made->memory_bytes.value;
  step.fits = *step.memory_bytes <= instance.memory_gib * std::exp2(30);
  step.software = "tacho";
  return step;
}

Result<TrainingJob> PredictedSteps::training_job(const Job& job, const Plan& plan) const {
  const Instance& instance = plan.instance;
  const auto& known = predictor_.gpus().all();
  const auto gpu = std::ranges::find(known, instance.gpu, &GpuSpec::name);
  if (gpu == known.end()) {
    return abstain(fmt::format("{} is not in the catalog of GPUs", instance.gpu));
  }
  const bool newer = plan.precision == Precision::bf16 || plan.precision == Precision::tf32;
  if (newer && !has_bf16_and_tf32(*gpu)) {
    return abstain(
        fmt::format("{} does not support {}", gpu->name, kPrecisions.of(plan.precision)));
  }
  TrainingJob asked;
  asked.model = job.model;
  asked.precision = published_precision(plan.precision);
  asked.gpu = gpu->name;
  asked.num_gpus = static_cast<double>(plan.ranks());
  asked.num_nodes = static_cast<double>(plan.nodes);
  asked.batch_per_gpu = static_cast<double>(plan.batch_per_gpu);
  asked.input_shape = input_shape_of(job.model, job.data);
  asked.data_kind = "real";
  TACHO_CHECK(check(asked));
  return asked;
}

Result<StepPrediction> PredictedSteps::step(const Job& job, const Plan& plan) const {
  return std::move(steps(job, {plan}).front());
}

std::vector<Result<StepPrediction>> PredictedSteps::steps(const Job& job,
                                                          const std::vector<Plan>& plans) const {
  // Instances of different clouds have the same GPUs: each distinct job is predicted once.
  std::map<std::string, std::size_t> places;
  std::vector<TrainingJob> jobs;
  std::vector<Result<std::size_t>> asked;
  for (const Plan& plan : plans) {
    if (plan.instance.gpus == 0) {
      asked.emplace_back(abstain("without a GPU"));
      continue;
    }
    auto one = training_job(job, plan);
    if (!one.ok()) {
      asked.emplace_back(one.error());
      continue;
    }
    const auto key = fmt::format("{} {} {} {} {}", one->gpu, one->num_gpus, one->num_nodes,
                                 plan.batch_per_gpu, one->precision);
    const auto [place, fresh] = places.try_emplace(key, jobs.size());
    if (fresh) jobs.push_back(*std::move(one));
    asked.emplace_back(place->second);
  }
  const auto predictions = predictor_.predict(jobs, worker_threads());
  std::vector<Result<StepPrediction>> answers;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    if (plans[i].instance.gpus == 0) {
      answers.push_back(on_cpu(job, plans[i]));
    } else if (!asked[i].ok()) {
      answers.emplace_back(asked[i].error());
    } else if (!predictions.ok()) {
      answers.emplace_back(predictions.error());
    } else if (const auto& made = (*predictions)[*asked[i]]; !made) {
      answers.emplace_back(abstain(plans[i].instance.gpu + " is not a GPU"));
    } else if (!made->in_domain) {
      answers.emplace_back(abstain(made->reason));
    } else {
      answers.emplace_back(prediction_of(plans[i], *made));
    }
  }
  return answers;
}

}  // namespace tacho
