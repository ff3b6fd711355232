#include "core/record/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include "base/result.h"

namespace tacho {
namespace {

void need_values(std::span<const double> values) {
  if (values.empty()) broken_invariant("a statistic of no values");
}

double sorted_quantile(const std::vector<double>& sorted, double q) {
  const double at = q * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(at));
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (at - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

struct Ranks {
  double first_sum = 0;
  double tie_term = 0;  // Σ t³ − t over groups of t equal values
};

Ranks rank(std::span<const double> first, std::span<const double> second) {
  std::vector<std::pair<double, bool>> all;
  all.reserve(first.size() + second.size());
  for (const double value : first) all.emplace_back(value, true);
  for (const double value : second) all.emplace_back(value, false);
  std::sort(all.begin(), all.end(), [](const auto& a, const auto& b) { return a.first < b.first; });

  Ranks ranks;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].first == all[begin].first) ++end;
    const auto size = static_cast<double>(end - begin);
    const double shared_rank = static_cast<double>(begin + end + 1) / 2;
    for (std::size_t i = begin; i < end; ++i) {
      if (all[i].second) ranks.first_sum += shared_rank;
    }
    ranks.tie_term += size * size * size - size;
    begin = end;
  }
  return ranks;
}

// Returns the share of all arrangements of m and n values whose U is at most `u`.
double exact_tail(std::size_t m, std::size_t n, double u) {
  const auto counts = mann_whitney_counts(m, n);
  const double total = std::accumulate(counts.begin(), counts.end(), 0.0);
  double tail = 0;
  for (std::size_t s = 0; s < counts.size() && static_cast<double>(s) <= u; ++s) tail += counts[s];
  return tail / total;
}

}  // namespace

double mean(std::span<const double> values) {
  need_values(values);
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

double quantile(std::span<const double> values, double q) {
  need_values(values);
  std::vector<double> sorted(values.begin(), values.end());
  std::sort(sorted.begin(), sorted.end());
  return sorted_quantile(sorted, q);
}

double median(std::span<const double> values) { return quantile(values, 0.5); }

double standard_deviation(std::span<const double> values) {
  const double centre = mean(values);
  if (values.size() < 2) return 0;
  double sum = 0;
  for (const double value : values) sum += (value - centre) * (value - centre);
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}

Interval bootstrap_interval(std::span<const double> values, const Statistic& statistic,
                            double level, int resamples, std::uint64_t seed) {
  need_values(values);
  std::mt19937_64 random(seed);
  std::uniform_int_distribution<std::size_t> pick(0, values.size() - 1);
  std::vector<double> resample(values.size());
  std::vector<double> results;
  results.reserve(static_cast<std::size_t>(resamples));
  for (int i = 0; i < resamples; ++i) {
    for (double& value : resample) value = values[pick(random)];
    results.push_back(statistic(resample));
  }
  std::sort(results.begin(), results.end());
  return {sorted_quantile(results, (1 - level) / 2), sorted_quantile(results, (1 + level) / 2)};
}

// The Gaussian binomial coefficient ∏ (1 − x^(n+i)) / (1 − x^i), i = 1 … m: the power of x is U.
std::vector<double> mann_whitney_counts(std::size_t m, std::size_t n) {
  std::vector<double> counts(m * n + 1, 0.0);
  counts[0] = 1;
  for (std::size_t i = 1; i <= m; ++i) {
    for (std::size_t s = m * n; s >= n + i; --s) counts[s] -= counts[s - n - i];
    for (std::size_t s = i; s <= m * n; ++s) counts[s] += counts[s - i];
  }
  return counts;
}

MannWhitney mann_whitney(std::span<const double> first, std::span<const double> second) {
  need_values(first);
  need_values(second);
  const auto m = static_cast<double>(first.size());
  const auto n = static_cast<double>(second.size());
  const Ranks ranks = rank(first, second);

  MannWhitney result;
  result.u = ranks.first_sum - m * (m + 1) / 2;
  result.probability = result.u / (m * n);
  const double smaller = std::min(result.u, m * n - result.u);
  const bool ties = ranks.tie_term > 0;
  if (!ties && first.size() <= kMostExactValues && second.size() <= kMostExactValues) {
    result.p = std::min(1.0, 2 * exact_tail(first.size(), second.size(), smaller));
    return result;
  }
  const double total = m + n;
  const double variance = m * n / 12 * (total + 1 - ranks.tie_term / (total * (total - 1)));
  if (variance <= 0) return result;  // all values equal: no evidence at all
  const double z = std::max(0.0, m * n / 2 - smaller - 0.5) / std::sqrt(variance);
  result.p = std::min(1.0, std::erfc(z / std::sqrt(2.0)));
  return result;
}

}  // namespace tacho
