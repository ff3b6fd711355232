#include "advise/regret.h"

#include <algorithm>
#include <vector>

#include "base/result.h"

namespace tacho {

Regret regret_of(std::span<const SettledPlan> plans) {
  if (plans.empty()) broken_invariant("a regret of no plans");
  std::vector<const SettledPlan*> order;
  for (const SettledPlan& plan : plans) order.push_back(&plan);
  std::ranges::stable_sort(order, {}, [](const SettledPlan* plan) { return plan->foretold; });
  const auto cheapest =
      std::ranges::min_element(order, {}, [](const SettledPlan* plan) { return plan->cost; });
  return {order.front()->cost / (*cheapest)->cost - 1,
          static_cast<std::size_t>(cheapest - order.begin()) + 1};
}

RegretScore score_regrets(std::span<const Regret> regrets) {
  RegretScore score{.sweeps = regrets.size()};
  if (regrets.empty()) return score;
  for (const Regret& one : regrets) {
    score.worst_excess = std::max(score.worst_excess, one.excess);
    score.mean_excess += one.excess;
    score.first_three += one.best_rank <= 3 ? 1 : 0;
  }
  score.mean_excess /= static_cast<double>(regrets.size());
  score.first_three /= static_cast<double>(regrets.size());
  return score;
}

}  // namespace tacho
