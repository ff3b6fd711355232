#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacho {

// One plan of a sweep that was really run: what it was foretold to cost and what it cost.
struct SettledPlan {
  double foretold = 0;
  double cost = 0;
};

struct Regret {
  double excess = 0;          // what the recommended one costs above the cheapest, relative
  std::size_t best_rank = 0;  // of the truly cheapest, by the foretold order; 1 is the first
  std::string sweep = {};
};

// At least one plan. Of equal foretold costs the first counts as recommended.
Regret regret_of(std::span<const SettledPlan> plans);

inline constexpr double kSmallExcess = 0.05;

struct RegretScore {
  std::size_t sweeps = 0;
  double worst_excess = 0;
  std::string worst_sweep = {};
  double mean_excess = 0;
  double within = 0;       // share of sweeps whose recommended one costs at most kSmallExcess more
  double first_three = 0;  // share of sweeps whose truly cheapest is among the first three
};

// Over many sweeps, each held out of what the predictor learned from.
RegretScore score_regrets(std::span<const Regret> regrets);

// A run of a sweep, and what it cost; repetitions are of one configuration.
struct SettledRun {
  std::string sweep;
  std::string configuration;
  double cost = 0;
  std::string kept_with = {};  // sweeps that are kept from the predictor together; "" is its own
};

// What the runs `asked` would cost, by someone who knows none but `seen`; nothing where that is
// refused. Both are places in a list of runs.
using ForetellCosts = std::function<Result<std::vector<std::optional<double>>>(
    const std::vector<std::size_t>& seen, const std::vector<std::size_t>& asked)>;

// What is kept from the predictor: configurations, or whole sweeps.
enum class HeldOut { configurations, sweeps };

// Of every sweep with three configurations or more that were foretold. What is held out is dealt
// into `parts`, each of which is foretold without seeing it.
Result<RegretScore> evaluate_regret(std::span<const SettledRun> runs, HeldOut held_out,
                                    std::size_t parts, const ForetellCosts& foretell);

}  // namespace tacho
