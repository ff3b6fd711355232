#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

namespace tacho {

// All functions here need at least one value and abort without.

double mean(std::span<const double> values);
// Linear interpolation between order statistics, like R's type 7 and NumPy's default.
double quantile(std::span<const double> values, double q);
double median(std::span<const double> values);
// Sample standard deviation; 0 for a single value.
double standard_deviation(std::span<const double> values);

struct Interval {
  double low = 0;
  double high = 0;
};

using Statistic = std::function<double(std::span<const double>)>;

// Percentile bootstrap of `statistic`; the same seed gives the same interval.
Interval bootstrap_interval(std::span<const double> values, const Statistic& statistic,
                            double level = 0.95, int resamples = 2000, std::uint64_t seed = 1);

struct MannWhitney {
  double u = 0;              // pairs in which the first sample is larger; ties count half
  double p = 1;              // two-sided
  double probability = 0.5;  // that a value of the first exceeds one of the second
};
// Exact for small samples without ties, otherwise the normal approximation with correction for
// ties and continuity.
MannWhitney mann_whitney(std::span<const double> first, std::span<const double> second);

// Up to this sample size all arrangements are counted; above, the normal approximation is accurate
// to 1 %.
inline constexpr std::size_t kMostExactValues = 20;
// Returns how many arrangements of m and n values have U = 0, 1, … m·n for the first sample. Exact
// if their total is below 2⁵³.
std::vector<double> mann_whitney_counts(std::size_t m, std::size_t n);

}  // namespace tacho
