#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/names.h"

namespace tacho {

// The loss of each backward pass of a trial, in order.
using LossCurve = std::vector<double>;

// same: equal up to rounding. as_other_seed: differ no more than with another seed. changed: differ
// more. unknown: the program showed no losses.
enum class LossChange { unknown, same, as_other_seed, changed };
inline constexpr Names<LossChange, 4> kLossChanges{"change of losses",
                                                   {{{LossChange::unknown, "unknown"},
                                                     {LossChange::same, "same"},
                                                     {LossChange::as_other_seed, "as_other_seed"},
                                                     {LossChange::changed, "changed"}}}};

struct LossVerdict {
  LossChange change = LossChange::unknown;
  // Mean of |difference| over mean of |loss|, of the whole common curve.
  double difference = 0;
  std::optional<double> of_other_seed = {};
};

// Compares the losses of the trials of a change with those of the original with the same seed.
// `other_seed`: the original's with another seed; empty if there is none.
LossVerdict judge_losses(std::span<const LossCurve> original, std::span<const LossCurve> changed,
                         const LossCurve& other_seed);

}  // namespace tacho
