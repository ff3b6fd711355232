#include "predict/speed/cpu_speed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "core/record/statistics.h"
#include "predict/speed/predictor.h"
#include "predict/speed/run_point.h"

namespace tacho {
namespace {

Error refused(std::string reason) { return {ErrorCode::unavailable, std::move(reason)}; }

Result<void> trains_alike(const RunSpec& spec) {
  if (spec.device != Device::cpu) return refused("the cost model of CPUs is for the device cpu");
  if (spec.precision != Precision::fp32) {
    return refused("trainings on a CPU were measured in fp32 only; leave out the precision");
  }
  if (spec.dist.ranks_per_node * spec.dist.nodes > 1) {
    return refused("trainings on a CPU were measured with one process only; leave out --nproc");
  }
  return {};
}

bool made_on(const OwnRun& run, const Host& here) {
  return run.spec.device == Device::cpu && same_machine(run.host, here, Device::cpu);
}

Estimate around(double value, double reach) {
  return {value, value * std::exp(-reach), value * std::exp(reach)};
}

}  // namespace

double measured_product_gflops(const Host& here, std::span<const OwnRun> runs) {
  std::vector<double> rates;
  for (const OwnRun& run : runs) {
    if (made_on(run, here) && run.product_gflops > 0 && run.threads > 0) {
      rates.push_back(run.product_gflops / static_cast<double>(run.threads));
    }
  }
  return rates.empty() ? 0 : median(rates);
}

CpuSpeed::CpuSpeed(OwnLayers layers, CpuFit fit)
    : layers_(std::move(layers)), fit_(std::move(fit)) {
  for (const auto& [model, deviation] : fit_.models) {
    const auto network = layers_.of(model, OwnLayers::usual_size(model));
    if (!network.ok()) continue;
    for (const LayerCost& layer : network->layers) kinds_.insert(layer.kind);
  }
}

double CpuSpeed::seconds(const OwnNetwork& network, double batch, double cores,
                         const CpuMachine& machine) const {
  const auto known = fit_.models.find(network.model);
  const double deviation = known == fit_.models.end() ? 0 : known->second;
  return cpu_step(network, batch, cores, machine, fit_.rates) * std::exp(deviation);
}

CpuSpeed::Calibrated CpuSpeed::calibrated(CpuMachine machine, const Host& here,
                                          std::span<const OwnRun> runs) const {
  if (const double rate = measured_product_gflops(here, runs); rate > 0) {
    machine.product_gflops = rate;
    machine.rate_reach = 0;
    machine.rate_basis = "measured here";
  }
  std::map<std::string, std::vector<double>> errors;
  for (const OwnRun& run : runs) {
    if (!made_on(run, here) || !trains_alike(run.spec).ok()) continue;
    const auto network = layers_.of(run.spec.model, sample_size(run.spec));
    if (!network.ok()) continue;
    const double threads = threads_of(run.spec, here, run.threads);
    errors[run.spec.model].push_back(
        std::log(run.step_seconds / seconds(*network, static_cast<double>(run.spec.batch),
                                            std::min(threads, machine.cores), machine)));
  }
  Calibrated out{.machine = std::move(machine), .models = static_cast<double>(errors.size())};
  for (const auto& [model, each] : errors) out.shift += median(each);
  // A machine's deviation is as large as that of a model, so one model says half of it.
  out.shift /= 1 + out.models;
  return out;
}

double CpuSpeed::reach(const std::string& model, double cores, const Calibrated& on) const {
  const bool known = fit_.models.contains(model);
  const double fresh = fit_.reach[known ? CpuNovelty::machine : CpuNovelty::both];
  const double here = fit_.reach[known ? CpuNovelty::pair : CpuNovelty::model];
  const double squared = here * here + (fresh * fresh - here * here) / (1 + on.models);
  const double doublings = std::max(0.0, std::log2(cores / fit_.most_cores));
  return std::hypot(std::sqrt(squared), on.machine.rate_reach, fit_.doubling_reach * doublings);
}

Result<RunPrediction> CpuSpeed::predict(const RunSpec& spec, const Calibrated& on) const {
  TACHO_CHECK(trains_alike(spec));
  const SampleSize size = sample_size(spec);
  TACHO_TRY(network, layers_.of(spec.model, size));
  for (const LayerCost& layer : network.layers) {
    if (!kinds_.contains(layer.kind)) {
      return refused(
          fmt::format("no model with {} layers was measured on a CPU; train {} once first",
                      kLayerKinds.of(layer.kind), spec.model));
    }
  }
  const CpuMachine& machine = on.machine;
  const double cores = std::min(machine.cores, static_cast<double>(spec.threads.value_or(1 << 20)));
  const auto batch = static_cast<double>(spec.batch);
  // Small batches are trained with one thread where that is faster.
  const double fastest =
      std::min(seconds(network, batch, 1, machine), seconds(network, batch, cores, machine)) *
      std::exp(on.shift);
  const double least = shortest_cpu_step(network, batch, cores, machine);
  const double wide = reach(spec.model, cores, on);
  if (wide > std::log(kWidestFarInterval)) {
    return refused(
        fmt::format("the step time on this CPU could be off by more than a factor of {:g}; "
                    "measure the machine with 'tacho bench probe'",
                    kWidestFarInterval));
  }
  RunPrediction out;
  out.step_seconds = around(std::max(fastest, least), wide);
  out.step_seconds.low = std::max(out.step_seconds.low, least);
  TACHO_TRY(cost, layers_.costs().of(spec.model, size));
  out.memory_bytes = around(nominal_memory_bytes(spec, cost), fit_.memory_reach);
  out.basis = fmt::format(
      "cost model of {:.0f} configurations of {} models on {} CPUs, {}; {:.0f} GFLOP/s on each of "
      "{:g} cores, {}",
      fit_.configurations, fit_.models.size(), fit_.machines.size(),
      fit_.models.contains(spec.model) ? "this model among them" : "not of this model",
      machine.product_gflops, machine.cores, machine.rate_basis);
  if (on.models > 0) out.basis += fmt::format("; corrected by runs of {:g} models here", on.models);
  return out;
}

}  // namespace tacho
