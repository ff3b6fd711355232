#pragma once

#include <cstddef>
#include <span>

namespace tacho {

// One plan of a sweep that was really run: what it was foretold to cost and what it cost.
struct SettledPlan {
  double foretold = 0;
  double cost = 0;
};

struct Regret {
  double excess = 0;          // what the recommended one costs above the cheapest, relative
  std::size_t best_rank = 0;  // of the truly cheapest, by the foretold order; 1 is the first
};

// At least one plan. Of equal foretold costs the first counts as recommended.
Regret regret_of(std::span<const SettledPlan> plans);

struct RegretScore {
  std::size_t sweeps = 0;
  double worst_excess = 0;
  double mean_excess = 0;
  double first_three = 0;  // share of sweeps whose truly cheapest is among the first three
};

// Over many sweeps, each held out of what the predictor learned from.
RegretScore score_regrets(std::span<const Regret> regrets);

}  // namespace tacho
