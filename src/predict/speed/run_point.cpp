#include "predict/speed/run_point.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/record/model_catalog.h"

namespace tacho {
namespace {

constexpr double kNone = -std::numeric_limits<double>::infinity();

// Nominal rates. The actual rates are fitted; a realistic magnitude gives models without runs a
// good start.
struct Rates {
  double flops = 0;
  double bytes_per_s = 0;
  double launch_seconds = 0;  // per layer, all passes, on the device
  double host_seconds = 0;    // … on the host
};

Rates rates_of(const RunSpec& spec, double threads) {
  if (spec.device == Device::cpu) {
    return {.flops = 4e10 * std::pow(threads, 0.8),
            .bytes_per_s = 1e10,
            .launch_seconds = 3e-5,
            .host_seconds = 0};
  }
  double flops = 3e13;
  if (spec.precision == Precision::tf32) flops = 2e14;
  if (spec.precision == Precision::bf16 || spec.precision == Precision::fp16) flops = 4e14;
  return {.flops = flops, .bytes_per_s = 3e12, .launch_seconds = 1e-5, .host_seconds = 7e-5};
}

bool is_half(Precision precision) {
  return precision == Precision::bf16 || precision == Precision::fp16;
}

// Returns the optimizer's copies of every weight.
double states(const OptimizerSpec& optimizer) {
  if (optimizer.kind != OptimizerKind::sgd) return 2;
  return optimizer.momentum > 0 ? 1 : 0;
}

RunParts step_parts(const RunSpec& spec, const OwnModelCost& cost, double threads) {
  const Rates rates = rates_of(spec, threads);
  const double narrow = is_half(spec.precision) ? 0.5 : 1;
  const auto samples = static_cast<double>(spec.batch);
  // A step is a batch; several batches may share an update.
  const double updated = cost.params_m * 1e6 * 4 * (3 + 2 * states(spec.optimizer)) /
                         static_cast<double>(spec.accumulate);
  const double fixed = cost.layers * rates.launch_seconds +
                       (updated + narrow * cost.moved_fixed_mb * 1e6) / rates.bytes_per_s;
  const double sample =
      6e9 * cost.gmacs / rates.flops + narrow * cost.moved_mb * 1e6 / rates.bytes_per_s;
  return {std::log(fixed), std::log(samples * sample),
          launches_one_by_one(spec) ? std::log(cost.layers * rates.host_seconds) : kNone, 0};
}

// Small datasets are kept in memory as published, one byte per pixel, both splits.
double held_data_mb(const std::string& data) {
  if (data.find("mnist") != std::string::npos) return 55;
  if (data.starts_with("cifar")) return 184;
  return 0;
}

RunParts memory_parts(const RunSpec& spec, const OwnModelCost& cost) {
  const auto model = find_model(spec.model);
  const double usual = model.ok() ? states((*model)->optimizer) : 1;
  const double other = cost.params_m * 4 * (states(spec.optimizer) - usual);
  // On a CPU, the memory of the process is measured: libtorch and its input.
  const double program = spec.device == Device::cpu ? 175 + held_data_mb(spec.data) : 5;
  const double narrow = is_half(spec.precision) ? 0.5 : 1;
  const double fixed = program + std::max(cost.held_fixed_mb + other, 1.0);
  const double sample = narrow * std::max(cost.held_mb, 1e-3);
  return {std::log(fixed * 1e6), std::log(sample * 1e6 * static_cast<double>(spec.batch)), kNone,
          0};
}

std::string layout_of(const RunSpec& spec) {
  const auto model = find_model(spec.model);
  if (model.ok() && (*model)->input == InputKind::text) return "";
  if (spec.channels_last != Switch::automatic) {
    return std::string(kSwitches.of(spec.channels_last));
  }
  // Irrelevant for transformers and linear layers, but still a separate word.
  return spec.device == Device::cuda ? "on" : "off";
}

// Must agree with the decision of the worker: datasets in memory use one thread for batches, images
// in files as many as there are cores.
std::string input_of(const RunSpec& spec) {
  if (spec.workers) return std::to_string(*spec.workers);
  return spec.data.find("image") == std::string::npos ? "1" : "";
}

using Words = EnumArray<RunLabel, std::string, kRunLabels>;

Words words_of(const RunSpec& spec, const Host& host, const std::string& torch_version,
               const SampleSize& size) {
  Words words;
  words[RunLabel::model] = spec.model;
  words[RunLabel::precision] = std::string(kPrecisions.of(spec.precision));
  words[RunLabel::layout] = layout_of(spec);
  words[RunLabel::size] = size.text;
  words[RunLabel::optimizer] =
      fmt::format("{} {} {} {}", kOptimizers.of(spec.optimizer.kind), spec.optimizer.momentum > 0,
                  spec.clip_norm.has_value(), spec.accumulate);
  words[RunLabel::data] = spec.data;
  words[RunLabel::input] = input_of(spec);
  words[RunLabel::graphs] = launches_one_by_one(spec) ? "off" : "on";
  const bool torch_alone = spec.stock || spec.kernels == KernelKind::torch;
  words[RunLabel::software] = fmt::format("{} {} {} {}", torch_version, host.environment,
                                          torch_alone, kSwitches.of(spec.mkldnn));
  words[RunLabel::host] = fmt::format("{} {}", host.cpu, host.cores);
  words[RunLabel::ranks] = fmt::format("{} {}", spec.dist.ranks_per_node, spec.dist.nodes);
  return words;
}

RunPoint point_of(const RunSpec& spec, const OwnModelCost& cost, double threads) {
  RunPoint point;
  point.log_batch = std::log(static_cast<double>(spec.batch));
  point.log_threads = std::log(threads);
  point.step = step_parts(spec, cost, threads);
  point.memory = memory_parts(spec, cost);
  return point;
}

}  // namespace

// Must agree with the decision of the worker.
double threads_of(const RunSpec& spec, const Host& host, std::int64_t seen) {
  if (seen > 0) return static_cast<double>(seen);
  if (spec.threads) return static_cast<double>(*spec.threads);
  const auto model = find_model(spec.model);
  if (model.ok() && spec.batch <= (*model)->one_thread_batch) return 1;
  return static_cast<double>(std::max<std::int64_t>(1, host.cores / spec.dist.ranks_per_node));
}

double nominal_memory_bytes(const RunSpec& spec, const OwnModelCost& cost) {
  const RunParts parts = memory_parts(spec, cost);
  return std::exp(parts[Part::fixed]) + std::exp(parts[Part::samples]);
}

bool launches_one_by_one(const RunSpec& spec) {
  return spec.device == Device::cuda && (spec.graphs == Switch::off || spec.accumulate > 1);
}

Result<RunPoint> RunPoints::add(const RunSpec& spec, const Host& host,
                                const std::string& torch_version, std::int64_t threads) {
  const SampleSize size = sample_size(spec);
  TACHO_TRY(cost, costs_.of(spec.model, size));
  RunPoint point = point_of(spec, cost, threads_of(spec, host, threads));
  const Words words = words_of(spec, host, torch_version, size);
  for (std::size_t i = 0; i < kRunLabels; ++i) {
    const auto next = static_cast<std::int16_t>(words_[i].size());
    point.labels[i] = words_[i].try_emplace(words[i], next).first->second;
  }
  return point;
}

Result<RunPoint> RunPoints::look_up(const RunSpec& spec, const Host& host,
                                    const std::string& torch_version) const {
  const SampleSize size = sample_size(spec);
  TACHO_TRY(cost, costs_.of(spec.model, size));
  RunPoint point = point_of(spec, cost, threads_of(spec, host, 0));
  const Words words = words_of(spec, host, torch_version, size);
  for (std::size_t i = 0; i < kRunLabels; ++i) {
    const auto known = words_[i].find(words[i]);
    point.labels[i] = known == words_[i].end() ? std::int16_t{-1} : known->second;
  }
  return point;
}

}  // namespace tacho
