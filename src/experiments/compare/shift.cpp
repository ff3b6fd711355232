#include "experiments/compare/shift.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "base/result.h"
#include "core/record/distribution.h"
#include "core/record/signed_rank.h"

namespace tacho {
namespace {

// Interpolates at a fractional position, counted from 1.
double at_place(const std::vector<double>& sorted, double place) {
  const double from_zero = std::clamp(place - 1, 0.0, static_cast<double>(sorted.size() - 1));
  const auto below = static_cast<std::size_t>(from_zero);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (from_zero - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

// Returns the position, in the sorted candidates, of the low end of the interval that excludes the
// share `tail` at each end; nothing if the steps of the test are too coarse. The k-th candidate
// excludes the probability that the statistic is below k.
std::optional<double> exact_place(const std::vector<double>& counts, double tail) {
  const double all = std::accumulate(counts.begin(), counts.end(), 0.0);
  double below = counts[0] / all;
  if (below > tail) return std::nullopt;
  for (std::size_t k = 1; k < counts.size(); ++k) {
    const double step = counts[k] / all;
    if (below + step > tail) return static_cast<double>(k) + (tail - below) / step;
    below += step;
  }
  return std::nullopt;
}

double normal_place(double centre, double variance, double tail) {
  return centre + normal_quantile(tail) * std::sqrt(variance) + 0.5;
}

Shift from_candidates(std::vector<double> candidates, std::optional<double> place) {
  std::sort(candidates.begin(), candidates.end());
  Shift shift;
  const auto count = static_cast<double>(candidates.size());
  shift.value = at_place(candidates, (count + 1) / 2);
  if (place) {
    shift.interval = {at_place(candidates, *place), at_place(candidates, count + 1 - *place)};
  }
  return shift;
}

Interval around(double centre, double half) { return {centre - half, centre + half}; }

double square(double x) { return x * x; }

// Welch's interval: the samples may have different variances. Degrees of freedom are rounded down.
Interval welch(std::span<const double> first, std::span<const double> second, double level) {
  const auto error = [](std::span<const double> values) {
    return square(standard_deviation(values)) / static_cast<double>(values.size());
  };
  const double a = error(first);
  const double b = error(second);
  const double centre = mean(second) - mean(first);
  if (a + b == 0) return around(centre, 0);
  const double degrees = square(a + b) / (square(a) / static_cast<double>(first.size() - 1) +
                                          square(b) / static_cast<double>(second.size() - 1));
  return around(centre, student_quantile((1 + level) / 2, std::max(1, static_cast<int>(degrees))) *
                            std::sqrt(a + b));
}

}  // namespace

Shift paired_shift(std::span<const double> differences, double level) {
  if (differences.empty()) broken_invariant("shift of an empty sample");
  std::vector<double> averages;
  averages.reserve(differences.size() * (differences.size() + 1) / 2);
  for (std::size_t i = 0; i < differences.size(); ++i) {
    for (std::size_t j = i; j < differences.size(); ++j) {
      averages.push_back((differences[i] + differences[j]) / 2);
    }
  }
  const auto n = static_cast<double>(differences.size());
  const double tail = (1 - level) / 2;
  const auto place = differences.size() <= kMostExactDifferences
                         ? exact_place(signed_rank_counts(differences.size()), tail)
                         : normal_place(n * (n + 1) / 4, n * (n + 1) * (2 * n + 1) / 24, tail);
  Shift shift = from_candidates(std::move(averages), place);
  if (!shift.interval && differences.size() > 1) {
    const double t = student_quantile(1 - tail, static_cast<int>(differences.size()) - 1);
    shift.interval = around(mean(differences), t * standard_deviation(differences) / std::sqrt(n));
  }
  return shift;
}

Shift unpaired_shift(std::span<const double> first, std::span<const double> second, double level) {
  if (first.empty() || second.empty()) broken_invariant("shift of an empty sample");
  std::vector<double> differences;
  differences.reserve(first.size() * second.size());
  for (const double a : first) {
    for (const double b : second) differences.push_back(b - a);
  }
  const auto m = static_cast<double>(first.size());
  const auto n = static_cast<double>(second.size());
  const double tail = (1 - level) / 2;
  const bool exact = first.size() <= kMostExactValues && second.size() <= kMostExactValues;
  const auto place = exact ? exact_place(mann_whitney_counts(first.size(), second.size()), tail)
                           : normal_place(m * n / 2, m * n * (m + n + 1) / 12, tail);
  Shift shift = from_candidates(std::move(differences), place);
  if (!shift.interval && first.size() > 1 && second.size() > 1) {
    shift.interval = welch(first, second, level);
  }
  return shift;
}

}  // namespace tacho
