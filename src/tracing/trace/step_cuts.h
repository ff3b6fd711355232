#pragma once

#include <span>

#include "tracing/trace/cuts.h"
#include "tracing/trace/token_line.h"

namespace tacho {

struct StepCuts {
  Cuts cuts;
  double coverage = 0;  // share of the line's tokens in steps of regular size
  double alike = 0;     // see similarity()
  [[nodiscard]] double score() const { return coverage * alike; }
};

// Each function finds the beginnings of steps by another criterion, and returns no cuts if that
// does not occur.

// Cuts after the last kernel of an optimizer, recognised by name. Handles accumulated gradients.
StepCuts cut_after_optimizer(const TokenLine& line);

// Cuts at the replays of CUDA graphs: all kernels of one replay have the same call.
StepCuts cut_at_replays(const TokenLine& line);

// Cuts after the longest stretches of small kernels: an optimizer that updates one tensor at a
// time, with generic kernels.
StepCuts cut_after_light_stretches(const TokenLine& line);

// Cuts at a token, or three in a row, that recur at regular distances; then moves the cuts to where
// the GPU waits longest or receives input. `words` are the line's words, kinds or similar.
StepCuts cut_at_repeats(const TokenLine& line, std::span<const std::uint32_t> words);

}  // namespace tacho
