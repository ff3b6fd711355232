#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace tacho {

struct SignedRank {
  double v = 0;  // sum of the ranks of the positive differences, ranked by magnitude
  double p = 1;  // two-sided
};
// Wilcoxon's signed-rank test: are the differences symmetric about zero? Zeros are left out. Exact,
// also with ties, up to kMostExactDifferences; above that, the normal approximation with correction
// for ties and continuity.
SignedRank signed_rank(std::span<const double> differences);

inline constexpr std::size_t kMostExactDifferences = 50;
// Returns, for each sum 0, 1, …, how many of the 2ⁿ sign choices of the ranks 1 … n have positive
// ranks with that sum.
std::vector<double> signed_rank_counts(std::size_t n);

}  // namespace tacho
