#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "tracing/trace/token_line.h"

namespace tacho {

// Positions in a token line where one piece ends and the next begins, in ascending order.
using Cuts = std::vector<std::size_t>;

// Regular sizes of a piece: from typical / factor to typical × factor tokens.
struct PieceSizes {
  std::size_t typical = 0;  // median
  double factor = 1;
  [[nodiscard]] bool regular(std::size_t tokens) const {
    const auto n = static_cast<double>(tokens);
    const auto middle = static_cast<double>(typical);
    // Small pieces may differ by two tokens even if that exceeds the factor.
    return n + 2 >= middle / factor && n <= middle * factor + 2;
  }
};

PieceSizes sizes_of(const Cuts& cuts, double factor);

// Share of `tokens` that is in pieces of regular size.
double coverage_of(const Cuts& cuts, const PieceSizes& sizes, std::size_t tokens);

// Similarity of a piece and the one `lag` later, 0 … 1: the share of token sequences that they have
// in common, as the median over a sample of pairs.
double similarity(std::span<const std::uint32_t> words, const Cuts& cuts, std::size_t lag);

// Returns 1 if neighbouring pieces are similar, 2 if every second one is (two networks that take
// turns), and so on; 0 if no two are.
std::size_t cycle_of(std::span<const std::uint32_t> words, const Cuts& cuts, std::size_t longest);

}  // namespace tacho
