#include "predict/rent/regret.h"

#include <algorithm>
#include <map>
#include <vector>

#include "core/record/statistics.h"

namespace tacho {

Regret regret_of(std::span<const SettledPlan> plans) {
  if (plans.empty()) broken_invariant("regret without plans");
  std::vector<const SettledPlan*> order;
  for (const SettledPlan& plan : plans) order.push_back(&plan);
  std::ranges::stable_sort(order, {}, [](const SettledPlan* plan) { return plan->predicted; });
  const auto cheapest =
      std::ranges::min_element(order, {}, [](const SettledPlan* plan) { return plan->cost; });
  return {.excess = order.front()->cost / (*cheapest)->cost - 1,
          .best_rank = static_cast<std::size_t>(cheapest - order.begin()) + 1};
}

namespace {

constexpr std::size_t kFewestPlans = 3;

struct PlanCost {
  std::vector<double> costs;
  std::vector<double> predicted;
};

// Groups runs that are held out together.
std::vector<std::vector<std::size_t>> parts_of(std::span<const SettledRun> runs, HeldOut held_out,
                                               std::size_t count) {
  std::map<std::pair<std::string, std::string>, std::size_t> part_of;
  std::vector<std::vector<std::size_t>> parts(count);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const SettledRun& run = runs[i];
    const std::string& sweep = run.kept_with.empty() ? run.sweep : run.kept_with;
    const auto key = held_out == HeldOut::sweeps ? std::pair(sweep, std::string())
                                                 : std::pair(run.sweep, run.configuration);
    const auto found = part_of.try_emplace(key, part_of.size() % count);
    parts[found.first->second].push_back(i);
  }
  std::erase_if(parts, [](const auto& part) { return part.empty(); });
  return parts;
}

}  // namespace

Result<RegretScore> evaluate_regret(std::span<const SettledRun> runs, HeldOut held_out,
                                    std::size_t parts, const PredictCosts& predict) {
  std::map<std::string, std::map<std::string, PlanCost>> sweeps;
  for (const auto& part : parts_of(runs, held_out, parts)) {
    std::vector<std::size_t> seen;
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (std::ranges::find(part, i) == part.end()) seen.push_back(i);
    }
    TACHO_TRY(costs, predict(seen, part));
    for (std::size_t k = 0; k < part.size(); ++k) {
      if (!costs[k]) continue;
      PlanCost& settled = sweeps[runs[part[k]].sweep][runs[part[k]].configuration];
      settled.costs.push_back(runs[part[k]].cost);
      settled.predicted.push_back(*costs[k]);
    }
  }
  std::vector<Regret> regrets;
  for (const auto& [sweep, configurations] : sweeps) {
    if (configurations.size() < kFewestPlans) continue;
    std::vector<SettledPlan> plans;
    for (const auto& [name, settled] : configurations) {
      plans.push_back({mean(settled.predicted), mean(settled.costs)});
    }
    regrets.push_back(regret_of(plans));
    regrets.back().sweep = sweep;
  }
  return score_regrets(regrets);
}

RegretScore score_regrets(std::span<const Regret> regrets) {
  RegretScore score{.sweeps = regrets.size()};
  if (regrets.empty()) return score;
  for (const Regret& one : regrets) {
    score.within += one.excess <= kSmallExcess ? 1 : 0;
    if (one.excess > score.worst_excess) {
      score.worst_excess = one.excess;
      score.worst_sweep = one.sweep;
    }
    score.mean_excess += one.excess;
    score.first_three += one.best_rank <= 3 ? 1 : 0;
  }
  score.mean_excess /= static_cast<double>(regrets.size());
  score.within /= static_cast<double>(regrets.size());
  score.first_three /= static_cast<double>(regrets.size());
  return score;
}

}  // namespace tacho
