#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacho {

struct SignedRank {
  double v = 0;  // the sum of the ranks of positive differences, ranked by their size
  double p = 1;  // two-sided
};
// Wilcoxon's test: are the differences symmetric about zero? Zeros say nothing and are left out.
// Every choice of signs is counted, ties included, up to kMostExactDifferences; beyond, the normal
// approximation is taken, with correction for ties and continuity.
SignedRank signed_rank(std::span<const double> differences);

inline constexpr std::size_t kMostExactDifferences = 50;
// In how many of the 2ⁿ choices of signs the ranks 1 … n that are positive sum up to 0, 1, …
std::vector<double> signed_rank_counts(std::size_t n);

}  // namespace tacho
