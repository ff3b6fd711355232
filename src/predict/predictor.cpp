#include "predict/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tacho {
namespace {

// Beyond it a prediction says too little to act on.
constexpr double kWidest = kWidestInterval;
// How much of a machine's error is its own, against that of one measurement there.
constexpr double kMachineVariance = 0.15 * 0.15;
constexpr double kMeasurementVariance = 0.08 * 0.08;

double middle(std::vector<double> values) {
  std::ranges::sort(values);
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

}  // namespace

Predictor::Predictor(GpuCatalog gpus, ModelCosts costs, SpeedModel model)
    : gpus_(std::move(gpus)), costs_(std::move(costs)), model_(std::move(model)) {}

Prediction Predictor::finish(const TrainingJob& job, const GpuSpec& gpu, const JobPoint& point,
                             StepBelief belief) const {
  if (const auto found = calibrations_.find(gpu.name); found != calibrations_.end()) {
    belief.log_seconds += found->second.shift;
    belief.reach *= found->second.share;
  }
  Prediction out;
  out.step_seconds = std::exp(belief.log_seconds);
  out.samples_per_s = point.batch * point.gpus / out.step_seconds;
  out.low90 = out.samples_per_s * std::exp(-belief.reach);
  out.high90 = out.samples_per_s * std::exp(belief.reach);
  out.memory_gb = point.memory_gb;
  out.fits = !point.cost_known || point.memory_gb <= gpu.memory_gb;
  out.modelled = point.modelled;
  if (!point.cost_known && !model_.has_seen(point, Label::model)) {
    out.in_domain = false;
    out.reason = fmt::format(
        "nothing is known of model '{}': give its gmacs, macts_M and params_M for a sample",
        job.model);
  } else if (belief.reach > std::log(kWidest)) {
    out.in_domain = false;
    out.reason = fmt::format("too unlike every measured job: the truth may be {:.2g} times off",
                             std::exp(belief.reach));
  } else if (!point.batch_known) {
    out.in_domain = false;
    out.reason = fmt::format("batch_per_gpu is not known; {:.0f} was taken", point.batch);
  }
  return out;
}

Result<std::vector<std::optional<Prediction>>> Predictor::predict(
    std::span<const TrainingJob> jobs, std::size_t threads) const {
  // Every job, followed by the same job on the GPUs that its own must not be slower than.
  std::vector<JobPoint> points;
  std::vector<std::pair<std::size_t, const GpuSpec*>> starts;
  const PointMaker maker(gpus_, costs_);
  for (const TrainingJob& job : jobs) {
    starts.emplace_back(points.size(), nullptr);
    if (is_no_gpu(job.gpu)) continue;
    TACHO_TRY(gpu, gpus_.find(job.gpu));
    starts.back().second = gpu;
    points.push_back(maker.of(job, *gpu));
    for (const GpuSpec& other : gpus_.all()) {
      if (other.name != gpu->name && is_at_least(*gpu, other)) points.push_back(maker.of(job, other));
    }
  }
  TACHO_TRY(beliefs, model_.predict(points, threads));
  std::vector<std::optional<Prediction>> out(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto [first, gpu] = starts[i];
    if (gpu == nullptr) continue;
    const std::size_t end = i + 1 < jobs.size() ? starts[i + 1].first : points.size();
    StepBelief belief = beliefs[first];
    for (std::size_t k = first + 1; k < end; ++k) {
      belief.log_seconds = std::min(belief.log_seconds, beliefs[k].log_seconds);
    }
    out[i] = finish(jobs[i], *gpu, points[first], belief);
  }
  return out;
}

Result<void> Predictor::calibrate(std::span<const OwnMeasurement> measurements,
                                  std::size_t threads) {
  std::vector<TrainingJob> jobs;
  for (const OwnMeasurement& own : measurements) jobs.push_back(own.job);
  TACHO_TRY(predictions, predict(jobs, threads));
  std::map<std::string, std::vector<double>> errors;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!predictions[i] || !(measurements[i].samples_per_s > 0)) continue;
    TACHO_TRY(gpu, gpus_.find(jobs[i].gpu));
    errors[gpu->name].push_back(
        std::log(predictions[i]->samples_per_s / measurements[i].samples_per_s));
  }
  for (const auto& [name, found] : errors) {
    const double left = kMeasurementVariance / static_cast<double>(found.size());
    const double trust = kMachineVariance / (kMachineVariance + left);
    Calibration& calibration = calibrations_[name];
    calibration.shift += trust * middle(found);
    calibration.share *= std::sqrt(1 - 0.7 * trust);
  }
  return {};
}

}  // namespace tacho
