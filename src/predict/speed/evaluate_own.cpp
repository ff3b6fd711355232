#include "predict/speed/evaluate_own.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>

#include "base/random.h"
#include "core/record/statistics.h"
#include "predict/speed/own_runs.h"
#include "predict/speed/run_point.h"

namespace tacho {
namespace {

struct Configuration {
  std::vector<const OwnRun*> runs;
  std::optional<RunPrediction> prediction = {};  // absent: abstained
};

double share_of(const std::vector<double>& values, double share) {
  return values.empty() ? 0 : quantile(values, share);
}

// With Gaussian noise, the difference of two of n measurements is √(2n) times as large as the error
// of their mean.
void judge_repeats(OwnScore& out, std::vector<double> repeats, const std::vector<double>& means) {
  out.repeated = repeats.size();
  out.repeat_median = share_of(repeats, 0.5);
  out.repeat_p95 = share_of(repeats, 0.95);
  for (const double difference : repeats)
    out.repeat_mean += difference / static_cast<double>(repeats.size());
  for (const double off : means) {
    out.least_mean_error += off / static_cast<double>(means.size());
  }
}

using ValueOf = double (*)(const OwnRun&);
using PredictionOf = const Estimate& (*)(const RunPrediction&);

OwnScore score(const std::vector<const Configuration*>& configurations, ValueOf value_of,
               PredictionOf prediction_of) {
  OwnScore out;
  std::vector<double> errors;
  std::vector<double> repeats;
  std::vector<double> means;  // errors of the means of repeated configurations
  std::size_t covered = 0;
  std::size_t measured = 0;
  for (const Configuration* one : configurations) {
    std::vector<double> values;
    for (const OwnRun* run : one->runs) {
      if (value_of(*run) > 0) values.push_back(value_of(*run));  // 0: unknown
    }
    if (values.empty()) continue;
    double mean = 0;
    for (const double value : values) mean += std::log(value) / static_cast<double>(values.size());
    const std::size_t before = repeats.size();
    for (std::size_t i = 1; i < values.size(); ++i) {
      repeats.push_back(std::abs(values[i] / values[0] - 1));
    }
    const auto pairs = static_cast<double>(repeats.size() - before);
    const double count = 2 * static_cast<double>(values.size());
    if (pairs > 0) {
      means.push_back(std::accumulate(repeats.begin() + static_cast<std::ptrdiff_t>(before),
                                      repeats.end(), 0.0) /
                      pairs / std::sqrt(count));
    }
    if (!one->prediction) {
      ++out.refused;
      continue;
    }
    const Estimate& predicted = prediction_of(*one->prediction);
    if (!(predicted.value > 0)) {
      ++out.refused;
      continue;
    }
    const double off = predicted.value / std::exp(mean) - 1;
    errors.push_back(std::abs(off));
    const double difference = predicted.value - std::exp(mean);
    out.mean_absolute += std::abs(difference);
    out.root_mean_square += difference * difference;
    out.most_too_low = std::max(out.most_too_low, -off);
    for (const double value : values) {
      ++measured;
      if (value >= predicted.low && value <= predicted.high) ++covered;
    }
  }
  out.configurations = errors.size();
  if (!errors.empty()) {
    out.mean_absolute /= static_cast<double>(errors.size());
    out.root_mean_square = std::sqrt(out.root_mean_square / static_cast<double>(errors.size()));
  }
  out.median_error = share_of(errors, 0.5);
  out.p95_error = share_of(errors, 0.95);
  for (const double error : errors) out.mean_error += error / static_cast<double>(errors.size());
  if (measured > 0) out.coverage = static_cast<double>(covered) / static_cast<double>(measured);
  judge_repeats(out, std::move(repeats), means);
  return out;
}

std::string machine_of(const OwnRun& run) {
  if (run.spec.device == Device::cuda) return run.host.gpu;
  return fmt::format("{}, {} cores", run.host.cpu, run.host.cores);
}

// Groups runs by everything that a prediction distinguishes.
std::vector<Configuration> configurations_of(const std::vector<const OwnRun*>& runs,
                                             const OwnModelCosts& costs) {
  RunPoints points(costs);
  std::map<std::string, std::size_t> places;
  std::vector<Configuration> out;
  for (const OwnRun* run : runs) {
    const auto point = points.add(run->spec, run->host, run->torch_version, run->threads);
    if (!point.ok()) continue;
    std::string key = fmt::format("{} {}", point->log_batch, point->log_threads);
    for (const auto label : point->labels) key += fmt::format(" {}", label);
    const auto [at, fresh] = places.try_emplace(key, out.size());
    if (fresh) out.emplace_back();
    out[at->second].runs.push_back(run);
  }
  return out;
}

Result<void> predict_all(std::vector<Configuration>& configurations, const OwnModelCosts& costs,
                         std::size_t folds, std::uint64_t seed) {
  std::vector<std::size_t> hands(configurations.size());
  for (std::size_t i = 0; i < hands.size(); ++i) hands[i] = i % folds;
  Random::scattered(seed).shuffle(hands);
  for (std::size_t fold = 0; fold < folds; ++fold) {
    std::vector<OwnRun> learned;
    for (std::size_t i = 0; i < hands.size(); ++i) {
      if (hands[i] == fold) continue;
      for (const OwnRun* run : configurations[i].runs) learned.push_back(*run);
    }
    if (learned.empty()) continue;
    TACHO_TRY(own, OwnRuns::learn(learned, learned.front().host, costs));
    for (std::size_t i = 0; i < hands.size(); ++i) {
      if (hands[i] != fold) continue;
      auto prediction = own.predict(configurations[i].runs.front()->spec);
      if (prediction.ok()) configurations[i].prediction = *std::move(prediction);
    }
  }
  return {};
}

}  // namespace

Result<OwnEvaluation> evaluate_own(std::span<const OwnRun> runs, const OwnModelCosts& costs,
                                   std::size_t folds, std::uint64_t seed) {
  std::map<std::string, std::vector<const OwnRun*>> machines;
  for (const OwnRun& run : runs) machines[machine_of(run)].push_back(&run);
  OwnEvaluation out;
  for (const auto& [machine, its] : machines) {
    auto configurations = configurations_of(its, costs);
    if (configurations.size() < 2 * folds) continue;
    TACHO_CHECK(predict_all(configurations, costs, folds, seed));
    std::map<std::string, std::vector<const Configuration*>> parts;
    for (const Configuration& one : configurations) {
      const RunSpec& spec = one.runs.front()->spec;
      parts["all"].push_back(&one);
      if (spec.device == Device::cpu) continue;
      parts[launches_one_by_one(spec) ? "launch by launch" : "CUDA graphs"].push_back(&one);
    }
    for (const auto& [part, members] : parts) {
      OwnScore step = score(
          members, [](const OwnRun& run) { return run.step_seconds; },
          [](const RunPrediction& prediction) -> const Estimate& {
            return prediction.step_seconds;
          });
      OwnScore memory = score(
          members, [](const OwnRun& run) { return run.memory_bytes; },
          [](const RunPrediction& prediction) -> const Estimate& {
            return prediction.memory_bytes;
          });
      step.machine = memory.machine = machine;
      step.part = memory.part = part;
      out.step.push_back(std::move(step));
      if (part == "all") out.memory.push_back(std::move(memory));
    }
  }
  return out;
}

}  // namespace tacho
