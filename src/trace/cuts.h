#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "trace/token_line.h"

namespace tacho {

// Places of a token line where a piece ends and the next begins, in ascending order.
using Cuts = std::vector<std::size_t>;

// How many tokens a piece may have beside the typical: between typical / factor and typical ×
// factor.
struct PieceSizes {
  std::size_t typical = 0;  // median
  double factor = 1;
  [[nodiscard]] bool regular(std::size_t tokens) const {
    const auto n = static_cast<double>(tokens);
    const auto middle = static_cast<double>(typical);
    // A piece of few tokens may differ by one or two whatever the factor.
    return n + 2 >= middle / factor && n <= middle * factor + 2;
  }
};

PieceSizes sizes_of(const Cuts& cuts, double factor);

// Share of `tokens` that lies in pieces of regular size.
double coverage_of(const Cuts& cuts, const PieceSizes& sizes, std::size_t tokens);

// How alike a piece and the one `lag` later are, 0 … 1: the share of sequences of tokens they
// have in common, of a sample of pairs the median.
double alikeness(std::span<const std::uint32_t> words, const Cuts& cuts, std::size_t lag);

// 1 if neighbouring pieces are alike; 2 if every second is, as where two networks take turns; and
// so on. 0 if no two are.
std::size_t cycle_of(std::span<const std::uint32_t> words, const Cuts& cuts, std::size_t longest);

}  // namespace tacho
