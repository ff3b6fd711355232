#pragma once

#include <span>

#include "trace/cuts.h"
#include "trace/token_line.h"

namespace tacho {

struct StepCuts {
  Cuts cuts;
  double coverage = 0;  // share of the line's tokens in steps of regular size
  double alike = 0;     // see alikeness()
  [[nodiscard]] double score() const { return coverage * alike; }
};

// Each finds where steps begin by another sign; no cuts where the sign is not there.

// After the last kernel of an optimizer, known by its name. Right for accumulated gradients too.
StepCuts cut_after_optimizer(const TokenLine& line);

// At the replays of CUDA graphs: all kernels of one have the same call.
StepCuts cut_at_replays(const TokenLine& line);

// After the longest stretches of small kernels: an optimizer that updates one tensor at a time, by
// kernels that could be anybody's.
StepCuts cut_after_light_stretches(const TokenLine& line);

// At a token, or three in a row, that come back at regular distances; then moved to where the GPU
// waits longest, or is given its input. `words` are the line's words, kinds or another reading.
StepCuts cut_at_repeats(const TokenLine& line, std::span<const std::uint32_t> words);

}  // namespace tacho
