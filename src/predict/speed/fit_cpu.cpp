#include "predict/speed/fit_cpu.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/estimate.h"
#include "core/record/statistics.h"
#include "predict/speed/log_fit.h"
#include "predict/speed/run_point.h"

namespace tacho {
namespace {

struct CpuNominal {
  double value;
  double spread;  // in logarithms
};
constexpr EnumArray<CpuRate, CpuNominal, kCpuRates> kCpuNominal = {
    {CpuNominal{0.7, 0.5}, {16, 1}, {0.02, 1.5}, {1e10, 0.7}, {20e-6, 0.7}, {0.8, 0.2}}};
// Error of the model for a typical example, in logarithms; larger ones count less.
constexpr double kTypicalCpuError = 0.2;

CpuRates cpu_rates_at(std::span<const double> logs) {
  CpuRates rates;
  for (std::size_t i = 0; i < kCpuRates; ++i) rates[i] = kCpuNominal[i].value * std::exp(logs[i]);
  return rates;
}

double error_of(const CpuExample& one, const CpuRates& rates) {
  return mean_log(one.seconds) -
         std::log(cpu_step(one.network, static_cast<double>(one.run.spec.batch),
                           static_cast<double>(one.run.threads), one.rate, rates));
}

using Examples = std::vector<CpuExample>;

// The mean over machines of a model's median errors, which a single machine says half of.
std::map<std::string, double> deviations(std::span<const CpuExample> examples,
                                         const CpuRates& rates) {
  std::map<std::string, std::map<std::string, std::vector<double>>> errors;
  for (const CpuExample& one : examples) {
    errors[one.run.spec.model][one.machine].push_back(error_of(one, rates));
  }
  std::map<std::string, double> out;
  for (const auto& [model, by_machine] : errors) {
    double sum = 0;
    for (const auto& [machine, each] : by_machine) sum += median(each);
    out[model] = sum / (1 + static_cast<double>(by_machine.size()));
  }
  return out;
}

struct HeldOut {
  std::string group;  // "resnet18", "resnet18 on Neoverse-N1, 2 cores"
  double error = 0;   // log(measured / predicted)
};

std::string group_of(const CpuExample& one, CpuNovelty novelty) {
  return (novelty == CpuNovelty::machine ? "" : one.run.spec.model) +
         (novelty == CpuNovelty::model ? "" : " on " + one.machine);
}

// Whether an example is unknown when `held` is predicted.
bool is_hidden(const CpuExample& one, const CpuExample& held, CpuNovelty novelty) {
  const bool model = one.run.spec.model == held.run.spec.model;
  const bool machine = one.machine == held.machine;
  if (novelty == CpuNovelty::both) return model || machine;
  return (model || novelty == CpuNovelty::machine) && (machine || novelty == CpuNovelty::model);
}

Result<std::vector<HeldOut>> hold_out(std::span<const CpuExample> examples, CpuNovelty novelty,
                                      const OwnLayers& layers, std::size_t* abstained = nullptr) {
  std::map<std::string, std::vector<const CpuExample*>> groups;
  for (const CpuExample& one : examples) groups[group_of(one, novelty)].push_back(&one);
  std::vector<HeldOut> out;
  for (const auto& [name, members] : groups) {
    const CpuExample& held = *members.front();
    Examples others;
    std::vector<OwnRun> here;
    for (const CpuExample& one : examples) {
      if (is_hidden(one, held, novelty)) continue;
      others.push_back(one);
      if (one.machine == held.machine) here.push_back(one.run);
    }
    if (others.empty()) continue;
    TACHO_TRY(fit, fit_cpu_rates(others));
    for (double& reach : fit.reach) reach = 0.1;
    const CpuSpeed speed(layers, fit);
    for (const CpuExample* one : members) {
      const bool measured = fit.models.contains(one->run.spec.model);
      const bool needs_model = novelty == CpuNovelty::pair || novelty == CpuNovelty::machine;
      if (measured != needs_model) continue;
      const auto predicted =
          speed.predict(one->run.spec, speed.calibrated(one->rate, one->run.host, here));
      if (!predicted.ok()) {
        if (abstained != nullptr) ++*abstained;
        continue;
      }
      out.push_back({name, mean_log(one->seconds) - std::log(predicted->step_seconds.value)});
    }
  }
  return out;
}

// Half width of the interval that has 90 % of the errors; those of `except` are unknown.
double reach_of(std::span<const HeldOut> held_out, const std::string& except = "") {
  std::vector<double> errors;
  for (const HeldOut& one : held_out) {
    if (one.group != except) errors.push_back(std::abs(one.error));
  }
  // A little more than 90 %, because few models and machines were measured.
  return errors.empty() ? 0 : quantile(errors, 0.93);
}

// By how much the speed-up from one thread to two is off.
double doubling_reach(std::span<const CpuExample> examples, const CpuRates& rates) {
  std::map<std::string, std::map<std::int64_t, double>> errors;
  for (const CpuExample& one : examples) {
    const auto key = fmt::format("{} {} {} {}", one.machine, one.run.spec.model,
                                 one.network.size.text, one.run.spec.batch);
    errors[key][one.run.threads] = error_of(one, rates);
  }
  std::vector<double> off;
  for (const auto& [key, by_threads] : errors) {
    for (const auto& [threads, error] : by_threads) {
      const auto twice = by_threads.find(2 * threads);
      if (twice != by_threads.end()) off.push_back(std::abs(twice->second - error));
    }
  }
  return off.empty() ? 0 : quantile(off, 0.9);
}

}  // namespace

Result<std::vector<CpuExample>> cpu_examples(std::span<const OwnRun> runs, const OwnLayers& layers,
                                             const CpuCatalog& cpus) {
  std::map<std::string, std::size_t> places;
  Examples out;
  for (const OwnRun& run : runs) {
    if (run.spec.device != Device::cpu) continue;
    const auto network = layers.of(run.spec.model, sample_size(run.spec));
    auto rate = cpus.of_host(run.host, "");
    const double product = measured_product_gflops(run.host, runs);
    if (!network.ok() || !rate || !(product > 0)) continue;
    rate->product_gflops = product;
    rate->rate_reach = 0;
    CpuExample one{
        run, {}, fmt::format("{}, {} cores", run.host.cpu, run.host.cores), *rate, *network};
    const auto key = fmt::format("{} {} {} {}", group_of(one, CpuNovelty::pair), network->size.text,
                                 run.spec.batch, run.threads);
    const auto [at, fresh] = places.try_emplace(key, out.size());
    if (fresh) out.push_back(std::move(one));
    out[at->second].seconds.push_back(run.step_seconds);
  }
  return out;
}

Result<CpuFit> fit_cpu_rates(std::span<const CpuExample> examples) {
  if (examples.empty()) return Error{ErrorCode::unavailable, "no runs on a CPU"};
  std::map<std::string, double> of_pair;
  for (const CpuExample& one : examples) of_pair[group_of(one, CpuNovelty::pair)] += 1;
  LogFit fit;
  for (const CpuNominal& nominal : kCpuNominal) fit.spreads.push_back(nominal.spread);
  constexpr double kRunsPerModel = 6;
  for (const CpuExample& one : examples) {
    fit.weights.push_back(kRunsPerModel / of_pair[group_of(one, CpuNovelty::pair)]);
  }
  fit.errors = [&](std::span<const double> logs) {
    const CpuRates rates = cpu_rates_at(logs);
    std::vector<double> errors;
    for (const CpuExample& one : examples)
      errors.push_back(error_of(one, rates) / kTypicalCpuError);
    return errors;
  };
  TACHO_TRY(logs, fit_logs(fit));
  CpuFit out{.rates = cpu_rates_at(logs), .configurations = static_cast<double>(examples.size())};
  out.models = deviations(examples, out.rates);
  std::set<std::string> machines;
  for (const CpuExample& one : examples) {
    machines.insert(one.machine);
    out.most_cores = std::max(out.most_cores, static_cast<double>(one.run.threads));
  }
  out.machines.assign(machines.begin(), machines.end());
  return out;
}

Result<CpuFit> fit_cpu(std::span<const CpuExample> examples, const OwnLayers& layers) {
  TACHO_TRY(fit, fit_cpu_rates(examples));
  for (const auto& [novelty, name] : kCpuNoveltyNames.table) {
    TACHO_TRY(held_out, hold_out(examples, novelty, layers));
    fit.reach[novelty] = reach_of(held_out);
  }
  // Less in common is never more certain.
  fit.reach[CpuNovelty::machine] =
      std::max(fit.reach[CpuNovelty::machine], fit.reach[CpuNovelty::pair]);
  fit.reach[CpuNovelty::model] =
      std::max(fit.reach[CpuNovelty::model], fit.reach[CpuNovelty::pair]);
  fit.reach[CpuNovelty::both] = std::max(
      {fit.reach[CpuNovelty::both], fit.reach[CpuNovelty::model], fit.reach[CpuNovelty::machine]});
  fit.doubling_reach = doubling_reach(examples, fit.rates);
  std::vector<double> memory;
  for (const CpuExample& one : examples) {
    if (!(one.run.memory_bytes > 0)) continue;
    TACHO_TRY(cost, layers.costs().of(one.run.spec.model, one.network.size));
    memory.push_back(
        std::abs(std::log(one.run.memory_bytes / nominal_memory_bytes(one.run.spec, cost))));
  }
  if (!memory.empty()) fit.memory_reach = quantile(memory, 0.9);
  return fit;
}

Result<std::vector<OwnSpeedScore>> evaluate_cpu(std::span<const CpuExample> examples,
                                                const OwnLayers& layers) {
  constexpr EnumArray<CpuNovelty, const char*, kCpuNovelties> kTitles = {
      {"CPU: a model on one machine", "CPU: a machine", "CPU: a model",
       "CPU: a model and its machine"}};
  std::vector<OwnSpeedScore> out;
  for (const auto& [novelty, name] : kCpuNoveltyNames.table) {
    std::size_t abstained = 0;
    TACHO_TRY(held_out, hold_out(examples, novelty, layers, &abstained));
    OwnSpeedScore score{
        .held_out = kTitles[novelty], .count = held_out.size(), .abstained = abstained};
    std::vector<double> errors;
    double covered = 0;
    for (const HeldOut& one : held_out) {
      errors.push_back(std::abs(std::expm1(one.error)));
      covered += std::abs(one.error) <= reach_of(held_out, one.group) ? 1 : 0;
    }
    if (errors.empty()) continue;
    score.median_error = median(errors);
    score.worst_error = *std::ranges::max_element(errors);
    score.coverage = covered / static_cast<double>(errors.size());
    out.push_back(std::move(score));
  }
  return out;
}

}  // namespace tacho
