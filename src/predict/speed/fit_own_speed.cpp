#include "predict/speed/fit_own_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/estimate.h"
#include "core/record/classifier_catalog.h"
#include "core/record/statistics.h"
#include "predict/speed/evaluate_own_speed.h"
#include "predict/speed/log_fit.h"
#include "predict/speed/model_name.h"
#include "predict/speed/own_jobs.h"

namespace tacho {
namespace {

// What data sheets and the usual overheads of a launch suggest, and by which factor that is
// uncertain, in logarithms.
struct Nominal {
  double value;
  double spread;
};
constexpr EnumArray<Rate, Nominal, kRates> kNominal = {{Nominal{0.8, 0.25},
                                                        {0.65, 0.25},
                                                        {0.9, 0.15},
                                                        {0.5, 0.7},
                                                        {0.8, 0.3},
                                                        {1.3, 0.4},
                                                        {0.3, 0.7},
                                                        {0.5, 0.5},
                                                        {0.8, 0.2},
                                                        {2, 0.4},
                                                        {1, 0.3},
                                                        {15e-6, 0.5},
                                                        {8e-6, 0.5},
                                                        {4e-6, 0.5},
                                                        {25e-6, 0.5},
                                                        {8, 0.7},
                                                        {32, 0.7},
                                                        {64, 0.7}}};
// Error of the roofline for a typical example, in logarithms; larger ones count less.
constexpr double kTypicalError = 0.15;

struct Fitted {
  OwnNetwork network;
  const GpuSpec* gpu;
  OwnJob job;
  double log_seconds;
  double weight;
};

RooflineRates rates_at(std::span<const double> logs) {
  RooflineRates rates;
  for (std::size_t i = 0; i < kRates; ++i) rates[i] = kNominal[i].value * std::exp(logs[i]);
  return rates;
}

// Returns the name in the model catalog for a published name; "" for other models.
std::string own_name(const std::string& published) {
  const std::string canonical = model_name(published).canonical;
  for (const ModelInfo& model : classifier_catalog()) {
    if (model_name(model.name).canonical == canonical) return std::string(model.name);
  }
  return "";
}

SampleSize size_of(const TrainingJob& job, const std::string& model) {
  if (const auto side = image_side(job.input_shape)) return {job.input_shape, *side};
  if (const auto length = sequence_length(job.input_shape)) return {job.input_shape, *length};
  return OwnLayers::usual_size(model);
}

}  // namespace

std::vector<OwnExample> own_configurations(std::span<const OwnRun> runs, const GpuCatalog& gpus) {
  std::map<std::string, std::size_t> places;
  std::vector<OwnExample> out;
  for (const OwnRun& run : runs) {
    const auto job = measured_job(run, gpus);
    if (!job) continue;
    OwnExample example{{run.spec.model, sample_size(run.spec), number_format(job->job.precision),
                        static_cast<double>(run.spec.batch)},
                       job->job.gpu,
                       {}};
    const std::string key =
        fmt::format("{} {} {} {} {}", example.job.model, example.job.size.text,
                    format_name(example.job.format), run.spec.batch, example.gpu);
    const auto [at, fresh] = places.try_emplace(key, out.size());
    if (fresh) out.push_back(std::move(example));
    out[at->second].seconds.push_back(run.step_seconds);
  }
  return out;
}

Result<RooflineRates> fit_rates(std::span<const OwnExample> examples, const OwnLayers& layers,
                                const GpuCatalog& gpus) {
  std::map<std::string, double> of_model;
  for (const OwnExample& one : examples) of_model[one.job.model] += 1;
  std::vector<Fitted> fitted;
  for (const OwnExample& one : examples) {
    TACHO_TRY(network, layers.of(one.job.model, one.job.size));
    TACHO_TRY(gpu, gpus.find(one.gpu));
    // A model with many runs says more than one with few, but not in proportion.
    constexpr double kRunsPerModel = 6;
    fitted.push_back({std::move(network), gpu, one.job, mean_log(one.seconds),
                      kRunsPerModel / of_model[one.job.model]});
  }
  LogFit fit;
  for (const Nominal& nominal : kNominal) fit.spreads.push_back(nominal.spread);
  for (const Fitted& one : fitted) fit.weights.push_back(one.weight);
  fit.errors = [&](std::span<const double> logs) {
    const RooflineRates rates = rates_at(logs);
    std::vector<double> errors;
    for (const Fitted& one : fitted) {
      const double seconds =
          roofline_step(one.network, one.job.batch, one.job.format, *one.gpu, rates).total();
      errors.push_back((one.log_seconds - std::log(seconds)) / kTypicalError);
    }
    return errors;
  };
  TACHO_TRY(logs, fit_logs(fit));
  return rates_at(logs);
}

Result<std::vector<Residual>> residuals_of(std::span<const OwnExample> examples,
                                           const OwnLayers& layers, const GpuCatalog& gpus,
                                           const RooflineRates& rates) {
  std::vector<Residual> out;
  for (const OwnExample& one : examples) {
    TACHO_TRY(network, layers.of(one.job.model, one.job.size));
    TACHO_TRY(gpu, gpus.find(one.gpu));
    Residual residual = residual_at(one.job);
    residual.value =
        mean_log(one.seconds) -
        std::log(roofline_step(network, one.job.batch, one.job.format, *gpu, rates).total());
    residual.repetitions = static_cast<double>(one.seconds.size());
    out.push_back(std::move(residual));
  }
  return out;
}

std::vector<CarriedJob> carry_published(std::span<const MeasuredJob> published,
                                        const OwnLayers& layers, const GpuCatalog& gpus,
                                        const RooflineRates& rates) {
  // A step that is mostly launches measures the host of the published software, not the GPU.
  constexpr double kMostLaunches = 0.15;
  struct OnGpu {
    const GpuSpec* gpu;
    NumberFormat format;
    std::vector<double> errors;
  };
  std::map<std::string, std::map<std::string, OnGpu>> groups;
  std::map<std::string, std::string> models;
  for (const MeasuredJob& one : published) {
    const TrainingJob& job = one.job;
    const std::string model = own_name(job.model);
    if (model.empty() || job.num_gpus != 1 || !job.batch_per_gpu) continue;
    const auto gpu = gpus.find(job.gpu);
    const auto network = layers.of(model, size_of(job, model));
    if (!gpu.ok() || !network.ok()) continue;
    const NumberFormat format = number_format(job.precision);
    const RooflineParts parts = roofline_step(*network, *job.batch_per_gpu, format, **gpu, rates);
    if (parts.launch > kMostLaunches * parts.total()) continue;
    const std::string key =
        fmt::format("{} {} {} {} {} {} {}", job.model, job.framework, job.precision, job.layout,
                    *job.batch_per_gpu, job.input_shape, one.source);
    models[key] = model;
    auto& group = groups[key].try_emplace((*gpu)->name, OnGpu{*gpu, format, {}}).first->second;
    group.errors.push_back(std::log(*job.batch_per_gpu / one.samples_per_s / parts.total()));
  }
  std::vector<CarriedJob> out;
  for (const auto& [key, on_gpus] : groups) {
    for (auto to = on_gpus.begin(); to != on_gpus.end(); ++to) {
      for (auto from = on_gpus.begin(); from != to; ++from) {
        out.push_back({models[key], from->first, to->first,
                       gpu_distance(to->second.format, *from->second.gpu, *to->second.gpu),
                       median(to->second.errors) - median(from->second.errors)});
      }
    }
  }
  return out;
}

Result<OwnFit> fit_uncalibrated(std::span<const OwnExample> examples, const OwnLayers& layers,
                                const GpuCatalog& gpus) {
  if (examples.empty()) return Error{ErrorCode::unavailable, "no runs with Tacho's defaults"};
  OwnFit fit;
  TACHO_TRY(rates, fit_rates(examples, layers, gpus));
  TACHO_TRY(values, residuals_of(examples, layers, gpus, rates));
  TACHO_TRY(residuals, OwnResiduals::learn(std::move(values)));
  fit.rates = rates;
  fit.residuals = residuals.residuals();
  fit.terms = residuals.terms();
  fit.measured_gpu = examples.front().gpu;
  return fit;
}

Result<OwnFit> fit_own_speed(std::span<const OwnExample> examples,
                             std::span<const MeasuredJob> published, const OwnLayers& layers,
                             const GpuCatalog& gpus) {
  TACHO_TRY(fit, fit_uncalibrated(examples, layers, gpus));
  for (const auto& [novelty, name] : kOwnNoveltyNames.table) {
    TACHO_TRY(held_out, hold_out(examples, novelty, layers, gpus));
    fit.stretch[novelty] = stretch_of(held_out);
  }
  std::vector<double> spreads;
  for (const CarriedJob& one : carry_published(published, layers, gpus, fit.rates)) {
    // Nearly equal GPUs say how repeatable published figures are, not how well rates carry over.
    if (one.distance > 0.1) {
      spreads.push_back(std::abs(one.error) / gpu_difference(one.distance) / kDeviations90);
    }
  }
  if (!spreads.empty()) fit.gpu_spread = quantile(spreads, 0.9);
  return fit;
}

}  // namespace tacho
