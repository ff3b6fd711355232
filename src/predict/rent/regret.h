#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"

namespace tacho {

// A plan that was run: predicted and actual cost.
struct SettledPlan {
  double predicted = 0;
  double cost = 0;
};

struct Regret {
  double excess = 0;          // relative cost of the recommended plan above the cheapest
  std::size_t best_rank = 0;  // rank of the actual cheapest in the predicted order, from 1
  std::string sweep = {};
};

// Needs at least one plan. Among equal predictions, the first is recommended.
Regret regret_of(std::span<const SettledPlan> plans);

inline constexpr double kSmallExcess = 0.05;

struct RegretScore {
  std::size_t sweeps = 0;
  double worst_excess = 0;
  std::string worst_sweep = {};
  double mean_excess = 0;
  double within = 0;       // share of sweeps with an excess of at most kSmallExcess
  double first_three = 0;  // share of sweeps whose cheapest plan is predicted among the first three
};

// Summarises many sweeps.
RegretScore score_regrets(std::span<const Regret> regrets);

// A run of a sweep with its cost; repetitions have the same configuration.
struct SettledRun {
  std::string sweep;
  std::string configuration;
  double cost = 0;
  std::string kept_with = {};  // sweeps that are held out together; "": this sweep alone
};

// Predicts the costs of the runs `asked` from the runs `seen` only; nothing where it abstains. Both
// are indices into a list of runs.
using PredictCosts = std::function<Result<std::vector<std::optional<double>>>(
    const std::vector<std::size_t>& seen, const std::vector<std::size_t>& asked)>;

// The predictor does not see runs of these configurations or sweeps.
enum class HeldOut { configurations, sweeps };

// Evaluates every sweep with at least three predicted configurations. Held-out runs are split into
// `parts`, and each part is predicted from the others.
Result<RegretScore> evaluate_regret(std::span<const SettledRun> runs, HeldOut held_out,
                                    std::size_t parts, const PredictCosts& predict);

}  // namespace tacho
