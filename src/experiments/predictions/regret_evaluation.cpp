#include "experiments/predictions/regret_evaluation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "base/home.h"
#include "base/table.h"
#include "base/units.h"
#include "experiments/predictions/own_runs_here.h"
#include "experiments/predictions/speed_model_files.h"
#include "predict/rent/catalog.h"

namespace tacho {
namespace {

constexpr std::size_t kPartsOfConfigurations = 5;
constexpr std::size_t kPartsOfModels = 5;  // each takes half a minute to fit

const char* name_of(HeldOut held_out) {
  return held_out == HeldOut::sweeps ? "whole models" : "configurations";
}

std::string machine_of(const OwnRun& run) {
  return run.spec.device == Device::cuda ? run.host.gpu : run.host.cpu;
}

std::string configuration_of(const OwnRun& run) {
  RunSpec spec = run.spec;
  spec.seed = 0;
  return json_text(to_json(spec));
}

// Returns the lowest on-demand price per hour and GPU, by GPU.
Result<std::map<std::string, double>> prices_of_gpus() {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(instances, Catalog(home).instances());
  std::map<std::string, double> prices;
  for (const Instance& one : instances) {
    if (one.gpus == 0) continue;
    const double price = one.on_demand_usd_h / static_cast<double>(one.gpus);
    const auto [place, fresh] = prices.try_emplace(one.gpu, price);
    if (!fresh) place->second = std::min(place->second, price);
  }
  return prices;
}

// On one machine, the cheapest configuration is the fastest.
Result<RegretScore> regret_of(const std::vector<OwnRun>& runs, HeldOut held_out) {
  const auto cost = [](const RunSpec& spec, double step_seconds) {
    return step_seconds / static_cast<double>(samples_per_step(spec));
  };
  std::vector<SettledRun> settled;
  for (const OwnRun& run : runs) {
    settled.push_back({run.spec.model, configuration_of(run), cost(run.spec, run.step_seconds)});
  }
  TACHO_TRY(costs, shipped_own_model_costs());
  return evaluate_regret(
      settled, held_out, held_out == HeldOut::sweeps ? runs.size() : kPartsOfConfigurations,
      [&](const std::vector<std::size_t>& seen,
          const std::vector<std::size_t>& asked) -> Result<std::vector<std::optional<double>>> {
        std::vector<OwnRun> known;
        for (const std::size_t i : seen) known.push_back(runs[i]);
        TACHO_TRY(learned, OwnRuns::learn(known, runs.front().host, costs));
        std::vector<std::optional<double>> predicted;
        for (const std::size_t i : asked) {
          const auto one = learned.predict(runs[i].spec);
          predicted.push_back(one.ok() ? std::optional(cost(runs[i].spec, one->step_seconds.value))
                                       : std::nullopt);
        }
        return predicted;
      });
}

}  // namespace

Result<std::vector<RegretOfSweeps>> evaluate_recommendations(const std::vector<OwnRun>& all) {
  std::map<std::string, std::vector<OwnRun>> machines;
  for (const OwnRun& run : all) machines[machine_of(run)].push_back(run);
  std::vector<RegretOfSweeps> scores;
  for (const auto& [machine, runs] : machines) {
    for (const HeldOut held_out : {HeldOut::configurations, HeldOut::sweeps}) {
      TACHO_TRY(score, regret_of(runs, held_out));
      scores.push_back({machine, held_out, score});
    }
  }
  return scores;
}

Result<RegretOfSweeps> evaluate_published_recommendations() {
  TACHO_TRY(prices, prices_of_gpus());
  TACHO_TRY(published, read_published_jobs(std::nullopt));
  const std::vector<TrainingExample>& examples = published.examples;
  std::vector<SettledRun> runs;
  std::vector<std::size_t> places;  // of the runs, among the examples
  for (std::size_t i = 0; i < examples.size(); ++i) {
    const TrainingExample& example = examples[i];
    const JobPoint& point = example.point;
    const auto price = prices.find(point.labels[Label::gpu]);
    if (price == prices.end() || point.gpus != 1 || example.nodes != 1 || !point.batch_known) {
      continue;
    }
    const double step = std::exp(example.error + point.log_modelled_step);
    const std::string& model = point.labels[Label::model];
    runs.push_back(
        {fmt::format("{} by {} with {}, {}", model, example.source, point.labels[Label::stack],
                     point.labels[Label::data_kind]),
         fmt::format("{} {} {} {} {}", price->first, point.batch, point.labels[Label::precision],
                     point.labels[Label::layout], point.labels[Label::input_shape]),
         step / point.batch * price->second / 3600, model});
    places.push_back(i);
  }
  const PredictCosts predict =
      [&](const std::vector<std::size_t>& /*seen*/,
          const std::vector<std::size_t>& asked) -> Result<std::vector<std::optional<double>>> {
    std::set<std::string> models;
    for (const std::size_t i : asked) models.insert(examples[places[i]].point.labels[Label::model]);
    std::vector<TrainingExample> known;  // also on many GPUs, and on GPUs without a price
    for (const TrainingExample& example : examples) {
      if (!models.contains(example.point.labels[Label::model])) known.push_back(example);
    }
    TACHO_TRY(model, SpeedModel::learn(std::move(known), {.threads = worker_threads()}));
    std::vector<JobPoint> points;
    for (const std::size_t i : asked) points.push_back(examples[places[i]].point);
    TACHO_TRY(posteriors, model.predict(points, worker_threads()));
    std::vector<std::optional<double>> costs;
    for (std::size_t k = 0; k < asked.size(); ++k) {
      const double price = prices.at(examples[places[asked[k]]].point.labels[Label::gpu]);
      const bool in_domain =
          points[k].cost_known && posteriors[k].reach <= std::log(kWidestInterval);
      costs.push_back(in_domain ? std::optional(std::exp(posteriors[k].log_seconds) /
                                                points[k].batch * price / 3600)
                                : std::nullopt);
    }
    return costs;
  };
  TACHO_TRY(score, evaluate_regret(runs, HeldOut::sweeps, kPartsOfModels, predict));
  return RegretOfSweeps{"published GPUs", HeldOut::sweeps, score};
}

Json regret_json(const std::vector<RegretOfSweeps>& scores) {
  Json list = Json::array();
  for (const RegretOfSweeps& one : scores) {
    const RegretScore& score = one.score;
    list.push_back({{"machine", one.machine},
                    {"held_out", name_of(one.held_out)},
                    {"sweeps", score.sweeps},
                    {"mean_excess", score.mean_excess},
                    {"worst_excess", score.worst_excess},
                    {"worst_sweep", score.worst_sweep},
                    {"within_5_percent", score.within},
                    {"cheapest_among_first_three", score.first_three}});
  }
  return list;
}

std::string regret_table(const std::vector<RegretOfSweeps>& scores, const Terminal& terminal) {
  Table table({{"sweeps on", Align::left},
               {"held out", Align::left},
               {"sweeps"},
               {"mean"},
               {"worst"},
               {"within 5 %"},
               {"first three"}});
  for (const RegretOfSweeps& one : scores) {
    const RegretScore& score = one.score;
    table.add({shortened(printable(one.machine), 26), name_of(one.held_out),
               std::to_string(score.sweeps), human_share(score.mean_excess),
               human_share(score.worst_excess), human_share(score.within),
               human_share(score.first_three)});
  }
  return table.text(terminal) +
         terminal.dim(
             "mean, worst: cost of the recommendation above the cheapest; first three: share of "
             "sweeps whose cheapest is among them") +
         "\n";
}

}  // namespace tacho
