#include "experiments/sweep/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/random.h"
#include "experiments/sweep/combinations.h"

namespace tacho {
namespace {

Result<RunOrder> order_of(const Grid& grid, const Configuration& configuration,
                          const PlanReaders& readers) {
  if (!grid.command.empty()) {
    return readers.program(filled_in(grid.command, configuration), configuration);
  }
  TACHO_TRY(request, train_request(configuration.options()));
  RunOrder order;
  order.spec = std::move(request.spec);
  order.environment = std::move(request.environment);
  order.time_limit_s = request.time_limit_s;
  return order;
}

Result<std::vector<std::size_t>> cheapest_first(const std::vector<PlannedRun>& runs,
                                                const PlanReaders& readers) {
  std::vector<double> costs;
  for (const PlannedRun& run : runs) {
    TACHO_TRY(cost, readers.cost(run.asked).in("order: cheapest-first"));
    costs.push_back(cost);
  }
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&costs](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  return order;
}

}  // namespace

Result<std::vector<PlannedRun>> plan_runs(const Grid& grid, const PlanReaders& readers) {
  TACHO_TRY(all, combinations(grid));
  std::vector<PlannedRun> runs;
  runs.reserve(all.size() * static_cast<std::size_t>(grid.repeat));
  for (std::size_t i = 0; i < all.size(); ++i) {
    TACHO_TRY(asked, order_of(grid, all[i], readers)
                         .in(fmt::format("configuration {} ({})", i + 1, to_text(all[i]))));
    for (std::int64_t repetition = 1; repetition <= grid.repeat; ++repetition) {
      runs.push_back({all[i], repetition, asked});
    }
  }
  if (grid.order == SweepOrder::random) {
    // Deterministic, so that a dry run shows the actual order. Every configuration runs once before
    // any is repeated, so that a sweep that ends early covers as many as possible.
    Random::scattered(runs.size()).shuffle(runs);
    std::ranges::stable_sort(runs, {}, &PlannedRun::repetition);
  } else if (grid.order == SweepOrder::cheapest_first) {
    TACHO_TRY(order, cheapest_first(runs, readers));
    std::vector<PlannedRun> sorted;
    sorted.reserve(runs.size());
    for (const std::size_t i : order) sorted.push_back(std::move(runs[i]));
    return sorted;
  }
  return runs;
}

}  // namespace tacho
