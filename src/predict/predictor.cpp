#include "predict/predictor.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <unordered_map>

#include "record/statistics.h"

namespace tacho {
namespace {

// The widest interval of a new GPU or of several nodes, where what a model costs is known only
// roughly: such forecasts are sure too soon.
constexpr double kWidestOfRoughCost = 1.5;
// How much of a machine's error is its own, against that of one measurement there.
constexpr double kMachineVariance = 0.15 * 0.15;
constexpr double kMeasurementVariance = 0.08 * 0.08;
// Of an interval, once the model was run on the GPU.
constexpr double kLeftAfterARunOfTheModel = 0.5;

std::string of_model(const std::string& gpu, const std::string& model) {
  return gpu + '\x1f' + model;
}

}  // namespace

double widest_interval(SpeedModel::Blank blank) {
  if (blank == SpeedModel::Blank::none) return kWidestInterval;
  return blank == SpeedModel::Blank::cost ? kWidestOfRoughCost : 1;
}

Predictor::Predictor(GpuCatalog gpus, ModelCosts costs, SpeedModel model)
    : gpus_(std::move(gpus)), costs_(std::move(costs)), model_(std::move(model)) {}

std::string Predictor::reason_to_abstain(const TrainingJob& job, const JobPoint& point,
                                         const StepBelief& belief, bool measured_here) const {
  using Blank = SpeedModel::Blank;
  Blank blank = model_.blank_in(point);
  const bool of_gpu = blank == Blank::pairs || blank == Blank::nodes ||
                      (blank == Blank::cost && job.num_nodes <= 1);
  if (of_gpu && measured_here) blank = Blank::none;
  if (!point.batch_known) {
    return fmt::format("batch_per_gpu is not known; {:.0f} was taken", point.batch / point.units);
  }
  if (belief.reach > std::log(widest_interval(blank))) {
    switch (blank) {
      case Blank::model:
        return fmt::format(
            "nothing is known of model '{}': give its gmacs, macts_M and params_M for a sample",
            job.model);
      case Blank::cost:
        return fmt::format(
            "what model '{}' costs is not known well enough for {}: give its gmacs, macts_M and "
            "params_M for a sample",
            job.model, job.num_nodes > 1 ? "several nodes" : "a GPU that nobody measured");
      case Blank::pairs:
        return fmt::format(
            "nobody measured {}, nor software '{}', so how several GPUs exchange is not known: ask "
            "for one",
            job.gpu, job.framework);
      case Blank::nodes:
        return fmt::format(
            "nobody measured {}, nor what lies between its machines: ask for one node", job.gpu);
      case Blank::hosts:
        return fmt::format(
            "on one node the speed of '{}' on {} jumps from batch to batch, so that hosts bound "
            "it; nobody measured it on several: ask for one node",
            job.model, job.gpu);
      case Blank::layout:
        return fmt::format("no measured job has layout '{}': give nchw, nhwc or none", job.layout);
      case Blank::none:
        return fmt::format("too unlike every measured job: the truth may be {:.2g} times off",
                           std::exp(belief.reach));
    }
  }
  return "";
}

const Predictor::Calibration* Predictor::calibration_of(const GpuSpec& gpu,
                                                        const JobPoint& point) const {
  auto found = calibrations_.find(of_model(gpu.name, point.labels[Label::model]));
  if (found == calibrations_.end()) found = calibrations_.find(gpu.name);
  return found == calibrations_.end() ? nullptr : &found->second;
}

// A job on one of the GPUs that might be asked for.
struct Predictor::Candidate {
  const GpuSpec* gpu = nullptr;
  const Calibration* calibration = nullptr;
  double log_seconds = 0;  // believed of it alone
};

// Of the first; the others are slower in nothing that a data sheet names. What was measured on a
// GPU counts more than that.
double Predictor::log_seconds_of(std::span<const Candidate> candidates) {
  const auto foretold = [&](const Candidate& one) {
    if (one.calibration == nullptr) return one.log_seconds;
    double least = one.log_seconds;
    for (const Candidate& other : candidates) {
      if (is_at_least(*one.gpu, *other.gpu)) least = std::min(least, other.log_seconds);
    }
    return least + one.calibration->shift;
  };
  double least = foretold(candidates.front());
  if (candidates.front().calibration != nullptr) return least;
  for (const Candidate& other : candidates) least = std::min(least, foretold(other));
  return least;
}

Prediction Predictor::finish(const TrainingJob& job, const GpuSpec& gpu, const JobPoint& point,
                             StepBelief belief) const {
  const Calibration* calibration = calibration_of(gpu, point);
  if (calibration != nullptr) belief.reach *= calibration->share;
  Prediction out;
  out.step_seconds = std::exp(belief.log_seconds);
  out.samples_per_s = point.batch * point.gpus / out.step_seconds;
  out.low90 = out.samples_per_s * std::exp(-belief.reach);
  out.high90 = out.samples_per_s * std::exp(belief.reach);
  out.memory_gb = point.memory_gb;
  out.memory_known = point.cost_known;
  out.fits = !point.cost_known || point.memory_gb <= gpu.memory_gb;
  out.modelled = point.modelled;
  out.reason = reason_to_abstain(job, point, belief, calibration != nullptr);
  out.in_domain = out.reason.empty();
  return out;
}

namespace {

// Each different point once: jobs of a file often differ by what no prediction depends on.
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

Result<std::vector<std::optional<Prediction>>> Predictor::predict(std::span<const TrainingJob> jobs,
                                                                  std::size_t threads) const {
  struct Place {
    const GpuSpec* gpu = nullptr;
    std::size_t point = 0;
  };
  // The job as it is, then the same on GPUs that its own must not be slower than.
  using Asked = std::vector<Place>;
  const PointMaker maker(gpus_, costs_);
  Points points;
  std::vector<Asked> asked(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (is_no_gpu(jobs[i].gpu)) continue;
    TACHO_TRY(gpu, gpus_.find(jobs[i].gpu));
    JobPoint point = maker.of(jobs[i], *gpu);
    TrainingJob same = jobs[i];
    same.batch_per_gpu = point.batch / point.units;  // also where it was not known
    asked[i].push_back({gpu, points.add(std::move(point))});
    for (const GpuSpec& other : gpus_.all()) {
      if (other.name == gpu->name || !is_at_least(*gpu, other)) continue;
      asked[i].push_back({&other, points.add(maker.of(same, other))});
    }
  }
  TACHO_TRY(beliefs, model_.predict(points.all(), threads));
  std::vector<std::optional<Prediction>> out(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    if (asked[i].empty()) continue;
    std::vector<Candidate> candidates;
    for (const auto& [gpu, point] : asked[i]) {
      candidates.push_back(
          {gpu, calibration_of(*gpu, points.all()[point]), beliefs[point].log_seconds});
    }
    const auto& [gpu, point] = asked[i].front();
    StepBelief belief = beliefs[point];
    belief.log_seconds = log_seconds_of(candidates);
    out[i] = finish(jobs[i], *gpu, points.all()[point], belief);
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
    if (!predictions[i] || !(measurements[i].samples_per_s > 0)) continue;
    TACHO_TRY(gpu, gpus_.find(jobs[i].gpu));
    const double error = std::log(predictions[i]->samples_per_s / measurements[i].samples_per_s);
    of_gpus[gpu->name].push_back(error);
    of_models[of_model(gpu->name, model_name(jobs[i].model).canonical)].push_back(error);
  }
  for (const auto& [name, found] : of_gpus) {
    const double left = kMeasurementVariance / static_cast<double>(found.size());
    const double trust = kMachineVariance / (kMachineVariance + left);
    calibrations_[name] = {trust * median(found), std::sqrt(1 - 0.7 * trust)};
  }
  for (const auto& [name, found] : of_models) {
    calibrations_[name] = {kTrustInARunOfTheModel * median(found), kLeftAfterARunOfTheModel};
  }
  return {};
}

}  // namespace tacho
