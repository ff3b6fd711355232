#include "core/record/signed_rank.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tacho {
namespace {

// Returns, for each sum 0, 1, …, the number of sign choices whose positive ranks have that sum.
std::vector<double> sums(const std::vector<std::size_t>& ranks) {
  std::vector<double> counts(1 + std::accumulate(ranks.begin(), ranks.end(), std::size_t{0}), 0.0);
  counts[0] = 1;
  for (const std::size_t rank : ranks) {
    for (std::size_t s = counts.size(); s-- > rank;) counts[s] += counts[s - rank];
  }
  return counts;
}

struct Ranked {
  std::vector<std::size_t> twice;  // ranks doubled, so that shared ones are whole numbers
  std::size_t twice_positive = 0;
  double tie_term = 0;  // Σ t³ − t over groups of t differences of the same size
};

Ranked rank(std::span<const double> differences) {
  std::vector<double> kept;
  for (const double difference : differences) {
    if (difference != 0) kept.push_back(difference);
  }
  std::sort(kept.begin(), kept.end(),
            [](double a, double b) { return std::fabs(a) < std::fabs(b); });
  Ranked ranked;
  for (std::size_t begin = 0; begin < kept.size();) {
    std::size_t end = begin;
    while (end < kept.size() && std::fabs(kept[end]) == std::fabs(kept[begin])) ++end;
    const auto size = static_cast<double>(end - begin);
    ranked.tie_term += size * size * size - size;
    for (std::size_t i = begin; i < end; ++i) {
      ranked.twice.push_back(begin + end + 1);
      if (kept[i] > 0) ranked.twice_positive += begin + end + 1;
    }
    begin = end;
  }
  return ranked;
}

double exact_p(const Ranked& ranked) {
  const auto counts = sums(ranked.twice);
  const std::size_t smaller =
      std::min(ranked.twice_positive, counts.size() - 1 - ranked.twice_positive);
  double tail = 0;
  for (std::size_t s = 0; s <= smaller; ++s) tail += counts[s];
  return std::min(1.0, std::ldexp(2 * tail, -static_cast<int>(ranked.twice.size())));
}

}  // namespace

SignedRank signed_rank(std::span<const double> differences) {
  const Ranked ranked = rank(differences);
  SignedRank result;
  result.v = static_cast<double>(ranked.twice_positive) / 2;
  if (ranked.twice.empty()) return result;
  if (ranked.twice.size() <= kMostExactDifferences) {
    result.p = exact_p(ranked);
    return result;
  }
  const auto n = static_cast<double>(ranked.twice.size());
  const double centre = n * (n + 1) / 4;
  const double variance = n * (n + 1) * (2 * n + 1) / 24 - ranked.tie_term / 48;
  const double z = std::max(0.0, std::fabs(result.v - centre) - 0.5) / std::sqrt(variance);
  result.p = std::min(1.0, std::erfc(z / std::sqrt(2.0)));
  return result;
}

std::vector<double> signed_rank_counts(std::size_t n) {
  std::vector<std::size_t> ranks(n);
  std::iota(ranks.begin(), ranks.end(), std::size_t{1});
  return sums(ranks);
}

}  // namespace tacho
