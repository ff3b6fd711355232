#include "predict/speed/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "base/nearest.h"
#include "core/record/model_catalog.h"
#include "core/record/statistics.h"
#include "predict/speed/software.h"

namespace tacho {
namespace {

// The widest interval for a new GPU or several nodes if a model's cost is known only roughly: such
// predictions are overconfident.
constexpr double kWidestOfRoughCost = 1.5;
// Variance of a machine's error and of one measurement on it.
constexpr double kMachineVariance = 0.15 * 0.15;
constexpr double kMeasurementVariance = 0.08 * 0.08;
// Share of an interval that is left after one run of the model on the GPU.
constexpr double kLeftAfterModelRun = 0.5;

std::string of_model(const std::string& gpu, const std::string& model) {
  return gpu + '\x1f' + model;
}

// No step is faster than its multiply-adds at the peak. "fp32" often means tf32 in published
// figures.
double shortest_step(const TrainingJob& job, const GpuSpec& gpu, const JobPoint& point) {
  if (!point.cost_known) return 0;
  const NumberFormat format = number_format(job.precision);
  double peak = peak_tflops(gpu, format);
  if (format == NumberFormat::fp32) peak = std::max(peak, gpu.tf32_tflops);
  return 6e9 * std::exp(point.measures[Measure::gmacs]) * point.batch / (peak * 1e12);
}

}  // namespace

Prediction unknown_prediction(std::string reason) {
  Prediction out;
  out.memory_known = false;
  out.in_domain = false;
  out.reason = std::move(reason);
  return out;
}

double widest_interval(SpeedModel::Blank blank) {
  if (blank == SpeedModel::Blank::none) return kWidestInterval;
  if (blank == SpeedModel::Blank::far) return kWidestFarInterval;
  return blank == SpeedModel::Blank::cost ? kWidestOfRoughCost : 1;
}

Predictor::Predictor(GpuCatalog gpus, ModelCosts costs, SpeedModel model)
    : gpus_(std::move(gpus)), costs_(std::move(costs)), model_(std::move(model)) {}

std::string Predictor::reason_to_abstain(const TrainingJob& job, const JobPoint& point,
                                         const StepPosterior& posterior, bool measured_here) const {
  using Blank = SpeedModel::Blank;
  Blank blank = model_.blank_in(point);
  if (blank == Blank::cost && job.num_nodes <= 1 && measured_here) blank = Blank::none;
  if (!point.batch_known) {
    return fmt::format("batch size unknown, {:.0f} assumed; set it with -b",
                       point.batch / point.units);
  }
  if (posterior.reach > std::log(widest_interval(blank))) {
    switch (blank) {
      case Blank::model:
        return unknown_model(job.model);
      case Blank::cost:
        return fmt::format(
            "the cost of model '{}' is too uncertain for {}; give its gmacs, macts_M and params_M "
            "per sample",
            job.model, job.num_nodes > 1 ? "several nodes" : "a GPU without measurements");
      case Blank::hosts:
        return fmt::format(
            "the speed of '{}' on {} varies irregularly with the batch, so the host limits it, and "
            "there are no multi-node measurements; try --num-nodes 1",
            job.model, job.gpu);
      case Blank::layout:
        return fmt::format("no measurements with layout '{}'; use nchw, nhwc or none", job.layout);
      case Blank::far:
      case Blank::none:
        return fmt::format(
            "too different from every measured job: the prediction could be off by a factor of "
            "{:.2g}",
            std::exp(posterior.reach));
    }
  }
  return "";
}

std::string Predictor::unknown_model(const std::string& model) const {
  std::vector<std::string_view> names = costs_.names();
  for (const std::string_view own : model_names()) names.push_back(own);
  const std::string_view close = nearest(model, names);
  return fmt::format("unknown model '{}'; {}give its gmacs, macts_M and params_M per sample", model,
                     close.empty() ? "" : fmt::format("did you mean '{}'? If not, ", close));
}

Result<void> Predictor::check_software(const std::string& software) const {
  const SoftwareStack stack = software_stack(framework_of(software));
  const std::set<std::string_view> releases = model_.releases();
  const bool is_release = stack.framework != "other" && std::ranges::any_of(software, [](char c) {
                            return c >= '0' && c <= '9';
                          });
  if (software.empty() || framework_of(software) != software || is_tacho(software) || is_release ||
      releases.contains(stack.release)) {
    return {};
  }
  std::vector<std::string_view> known = software_words();
  known.insert(known.end(), releases.begin(), releases.end());
  return Error{ErrorCode::usage, unknown_name("software", software, known)};
}

Prediction Predictor::own_prediction(OwnPredictions& own, const TrainingJob& job,
                                     const GpuSpec& gpu) const {
  auto made = own.of(job, gpu);
  if (!made.ok()) return unknown_prediction(made.error().message);
  Prediction out = *std::move(made);
  const Calibration* calibration = calibration_of(gpu, model_name(job.model).canonical);
  if (calibration == nullptr) return out;
  const Estimate speed = out.samples_per_s;
  const double most = out.most_samples_per_s;
  const double value = std::min(speed.value * std::exp(-calibration->shift), most);
  out.step_seconds *= speed.value / value;
  out.samples_per_s = {
      value, value * std::pow(speed.low / speed.value, calibration->share),
      std::min(value * std::pow(speed.high / speed.value, calibration->share), most)};
  return out;
}

const Predictor::Calibration* Predictor::calibration_of(const GpuSpec& gpu,
                                                        const std::string& model) const {
  auto found = calibrations_.find(of_model(gpu.name, model));
  if (found == calibrations_.end()) found = calibrations_.find(gpu.name);
  return found == calibrations_.end() ? nullptr : &found->second;
}

// A job on one of several GPUs.
struct Predictor::Candidate {
  const GpuSpec* gpu = nullptr;
  const Calibration* calibration = nullptr;
  double log_seconds = 0;  // posterior of this job alone
};

// Returns the time of the first candidate; the others are slower in nothing on the data sheet.
// Measurements on a GPU count more than the data sheet.
double Predictor::log_seconds_of(std::span<const Candidate> candidates) {
  const auto predicted = [&](const Candidate& one) {
    if (one.calibration == nullptr) return one.log_seconds;
    double least = one.log_seconds;
    for (const Candidate& other : candidates) {
      if (is_at_least(*one.gpu, *other.gpu)) least = std::min(least, other.log_seconds);
    }
    return least + one.calibration->shift;
  };
  double least = predicted(candidates.front());
  if (candidates.front().calibration != nullptr) return least;
  for (const Candidate& other : candidates) least = std::min(least, predicted(other));
  return least;
}

Prediction Predictor::finish(const TrainingJob& job, const GpuSpec& gpu, const JobPoint& point,
                             StepPosterior posterior) const {
  const Calibration* calibration = calibration_of(gpu, point.labels[Label::model]);
  if (calibration != nullptr) posterior.reach *= calibration->share;
  if (model_.blank_in(point) == SpeedModel::Blank::model) {
    return unknown_prediction(unknown_model(job.model));
  }
  Prediction out;
  out.software = software_of(job.framework);
  const double shortest = shortest_step(job, gpu, point);
  out.step_seconds = std::max(std::exp(posterior.log_seconds), shortest);
  const double samples = point.batch * point.gpus;
  const double speed = samples / out.step_seconds;
  out.samples_per_s = {speed, speed * std::exp(-posterior.reach),
                       samples / std::max(out.step_seconds * std::exp(-posterior.reach), shortest)};
  out.memory_gb = point.memory_gb;
  out.memory_known = point.cost_known;
  out.fits = !point.cost_known || point.memory_gb <= gpu.memory_gb;
  out.shares = shares_of(point.modelled);
  out.reason = reason_to_abstain(job, point, posterior, calibration != nullptr);
  out.in_domain = out.reason.empty();
  return out;
}

namespace {

// Collects different points once: jobs of a file often differ in columns that do not matter.
class Points {
 public:
  std::size_t add(JobPoint point) {
    std::string key;
    for (const std::string& label : point.labels) key.append(label).push_back('\0');
    key.append(reinterpret_cast<const char*>(point.measures.data()), sizeof(point.measures));
    key += point.batch_known ? '1' : '0';
    const auto [at, fresh] = places_.try_emplace(std::move(key), points_.size());
    if (fresh) points_.push_back(std::move(point));
    return at->second;
  }
  [[nodiscard]] const std::vector<JobPoint>& all() const { return points_; }

 private:
  std::vector<JobPoint> points_;
  std::unordered_map<std::string, std::size_t> places_;
};

}  // namespace

Result<std::vector<std::optional<Prediction>>> Predictor::predict(
    std::span<const TrainingJob> given, std::size_t threads) const {
  struct Place {
    const GpuSpec* gpu = nullptr;
    std::size_t point = 0;
  };
  // The job itself, then the same job on GPUs that its own must not be slower than.
  using Asked = std::vector<Place>;
  const PointMaker maker(gpus_, costs_);
  Points points;
  std::vector<TrainingJob> jobs;
  jobs.reserve(given.size());
  for (const TrainingJob& job : given) jobs.push_back(with_software(job));
  std::vector<std::optional<Prediction>> out(jobs.size());
  std::optional<OwnPredictions> own;
  if (own_) own.emplace(*own_);
  std::vector<Asked> asked(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (is_no_gpu(jobs[i].gpu)) continue;
    TACHO_TRY(gpu, gpus_.find(jobs[i].gpu));
    if (own && is_tacho(jobs[i].framework)) {
      out[i] = own_prediction(*own, jobs[i], *gpu);
      continue;
    }
    JobPoint point = maker.of(jobs[i], *gpu);
    TrainingJob same = jobs[i];
    same.batch_per_gpu = point.batch / point.units;  // also if it was unknown
    asked[i].push_back({gpu, points.add(std::move(point))});
    for (const GpuSpec& other : gpus_.all()) {
      if (other.name == gpu->name || !is_at_least(*gpu, other)) continue;
      asked[i].push_back({&other, points.add(maker.of(same, other))});
    }
  }
  if (points.all().empty()) return out;
  TACHO_TRY(posteriors, model_.predict(points.all(), threads));
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (asked[i].empty()) continue;
    std::vector<Candidate> candidates;
    for (const auto& [gpu, point] : asked[i]) {
      candidates.push_back({gpu, calibration_of(*gpu, points.all()[point].labels[Label::model]),
                            posteriors[point].log_seconds});
    }
    const auto& [gpu, point] = asked[i].front();
    StepPosterior posterior = posteriors[point];
    posterior.log_seconds = log_seconds_of(candidates);
    out[i] = finish(jobs[i], *gpu, points.all()[point], posterior);
  }
  return out;
}

Result<void> Predictor::calibrate(std::span<const MeasuredJob> measurements, std::size_t threads) {
  std::vector<TrainingJob> jobs;
  for (const MeasuredJob& own : measurements) jobs.push_back(own.job);
  calibrations_.clear();
  TACHO_TRY(predictions, predict(jobs, threads));
  std::map<std::string, std::vector<double>> of_gpus;
  std::map<std::string, std::vector<double>> of_models;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (!predictions[i] || !predictions[i]->known() || !(measurements[i].samples_per_s > 0))
      continue;
    TACHO_TRY(gpu, gpus_.find(jobs[i].gpu));
    const double error =
        std::log(predictions[i]->samples_per_s.value / measurements[i].samples_per_s);
    of_gpus[gpu->name].push_back(error);
    of_models[of_model(gpu->name, model_name(jobs[i].model).canonical)].push_back(error);
  }
  for (const auto& [name, found] : of_gpus) {
    const double left = kMeasurementVariance / static_cast<double>(found.size());
    const double trust = kMachineVariance / (kMachineVariance + left);
    calibrations_[name] = {trust * median(found), std::sqrt(1 - 0.7 * trust)};
  }
  for (const auto& [name, found] : of_models) {
    calibrations_[name] = {kTrustInModelRun * median(found), kLeftAfterModelRun};
  }
  return {};
}

}  // namespace tacho
