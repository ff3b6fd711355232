#include "cli/regret_evaluation.h"

#include <algorithm>
#include <map>

#include "advise/catalog.h"
#include "base/file.h"
#include "base/home.h"
#include "cli/own_model_costs.h"
#include "predict/own_runs.h"

namespace tacho {
namespace {

std::string machine_of(const OwnRun& run) {
  return run.spec.device == Device::cuda ? run.host.gpu : run.host.cpu;
}

std::string configuration_of(const OwnRun& run) {
  RunSpec spec = run.spec;
  spec.seed = 0;
  return json_text(to_json(spec));
}

double samples_a_step(const RunSpec& spec) {
  return static_cast<double>(spec.batch * spec.dist.ranks() * spec.accumulate);
}

// The catalogue's lowest price for one such GPU; for a machine it does not have, a dollar: within a
// sweep every run has the same.
Result<double> price_of(const std::string& machine) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(instances, Catalog(home).instances());
  double lowest = 0;
  for (const Instance& one : instances) {
    if (one.gpus == 0 || machine.find(one.gpu.substr(0, one.gpu.find('-'))) == std::string::npos) {
      continue;
    }
    const double price = one.on_demand_usd_h / static_cast<double>(one.gpus);
    lowest = lowest == 0 ? price : std::min(lowest, price);
  }
  return lowest == 0 ? 1 : lowest;
}

Result<RegretScore> regret_of(const std::vector<OwnRun>& runs, double usd_per_hour,
                              HeldOut held_out) {
  const auto cost = [&](const RunSpec& spec, double step_seconds) {
    return step_seconds / samples_a_step(spec) * usd_per_hour / 3600;
  };
  std::vector<SettledRun> settled;
  for (const OwnRun& run : runs) {
    settled.push_back({run.spec.model, configuration_of(run), cost(run.spec, run.step_seconds)});
  }
  TACHO_TRY(costs, own_model_costs());
  return evaluate_regret(
      settled, held_out,
      [&](const std::vector<std::size_t>& seen,
          const std::vector<std::size_t>& asked) -> Result<std::vector<std::optional<double>>> {
        std::vector<OwnRun> known;
        for (const std::size_t i : seen) known.push_back(runs[i]);
        TACHO_TRY(learned, OwnRuns::learn(known, runs.front().host, costs));
        std::vector<std::optional<double>> foretold;
        for (const std::size_t i : asked) {
          const auto one = learned.predict(runs[i].spec);
          foretold.push_back(one.ok() ? std::optional(cost(runs[i].spec, one->step_seconds.value))
                                      : std::nullopt);
        }
        return foretold;
      });
}

}  // namespace

Result<std::vector<RegretOfSweeps>> evaluate_recommendations(
    const std::vector<std::string>& files) {
  std::map<std::string, std::vector<OwnRun>> machines;
  for (const std::string& file : files) {
    TACHO_TRY(text, read_file(file));
    TACHO_TRY(runs, read_own_runs(text).in(file));
    for (OwnRun& run : runs) machines[machine_of(run)].push_back(std::move(run));
  }
  std::vector<RegretOfSweeps> scores;
  for (const auto& [machine, runs] : machines) {
    TACHO_TRY(price, price_of(machine));
    for (const HeldOut held_out : {HeldOut::configurations, HeldOut::sweeps}) {
      TACHO_TRY(score, regret_of(runs, price, held_out));
      scores.push_back({machine, price, held_out, score});
    }
  }
  return scores;
}

}  // namespace tacho
