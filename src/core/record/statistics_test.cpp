#include "core/record/statistics.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace tacho {
namespace {

using Values = std::vector<double>;

TEST(Quantile, InterpolatesAsNumPyDoes) {
  const Values values = {4, 1, 3, 2};
  EXPECT_DOUBLE_EQ(median(values), 2.5);
  EXPECT_DOUBLE_EQ(quantile(values, 0.25), 1.75);
  EXPECT_DOUBLE_EQ(quantile(values, 0), 1);
  EXPECT_DOUBLE_EQ(quantile(values, 1), 4);
  EXPECT_DOUBLE_EQ(median(Values{7}), 7);
}

TEST(Spread, StandardDeviationIsTheSampleOne) {
  EXPECT_NEAR(standard_deviation(Values{2, 4, 4, 4, 5, 5, 7, 9}), 2.138089935, 1e-9);
  EXPECT_EQ(standard_deviation(Values{3}), 0);
}

TEST(Bootstrap, RepeatsWithItsSeedAndContainsTheMedian) {
  const Values values = {9, 10, 10.5, 11, 12, 10.2, 9.8};
  const Interval one = bootstrap_interval(values, median);
  const Interval two = bootstrap_interval(values, median);
  EXPECT_EQ(one.low, two.low);
  EXPECT_EQ(one.high, two.high);
  EXPECT_LE(one.low, median(values));
  EXPECT_GE(one.high, median(values));
}

// Nominal coverage is 95 %. The percentile bootstrap of a mean of 30 exponentials is known to
// undercover slightly: the accepted band allows that, but not a wrong formula.
TEST(Bootstrap, CoverageIsCloseToNominal) {
  std::mt19937_64 random(7);
  std::exponential_distribution<double> draw(1.0);
  int held = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    Values values(30);
    for (double& value : values) value = draw(random);
    const Interval interval = bootstrap_interval(values, mean, 0.95, 500, 11);
    held += interval.low <= 1 && 1 <= interval.high ? 1 : 0;
  }
  EXPECT_GE(held, kTrials * 88 / 100);
  EXPECT_LE(held, kTrials * 98 / 100);
}

// Reference values: every arrangement counted by hand. 3 against 3, fully separated: 2 of 20.
TEST(MannWhitney, IsExactForSmallSamples) {
  const auto separated = mann_whitney(Values{4, 5, 6}, Values{1, 2, 3});
  EXPECT_DOUBLE_EQ(separated.u, 9);
  EXPECT_DOUBLE_EQ(separated.p, 0.1);
  EXPECT_DOUBLE_EQ(separated.probability, 1);
  // One pair the other way round: (1 + 1) of 20 arrangements on each side.
  EXPECT_DOUBLE_EQ(mann_whitney(Values{3, 5, 6}, Values{1, 2, 4}).p, 0.2);
}

// 2 against 3: of ten arrangements 1, 1, 2, 2, 2, 1, 1 have U = 0 … 6.
TEST(MannWhitney, CountsEveryArrangement) {
  EXPECT_EQ(mann_whitney_counts(2, 3), (Values{1, 1, 2, 2, 2, 1, 1}));
  EXPECT_EQ(mann_whitney_counts(3, 2), mann_whitney_counts(2, 3));
  double all = 0;
  for (const double count : mann_whitney_counts(20, 20)) all += count;
  EXPECT_EQ(all, 137846528820.0);  // 40 over 20
}

TEST(MannWhitney, IsSymmetric) {
  const Values a = {1.1, 2.2, 3.3, 9};
  const Values b = {2, 4, 6, 8, 10};
  EXPECT_DOUBLE_EQ(mann_whitney(a, b).p, mann_whitney(b, a).p);
  EXPECT_DOUBLE_EQ(mann_whitney(a, b).u + mann_whitney(b, a).u, 20);
}

TEST(MannWhitney, EqualValuesAreNoEvidence) {
  EXPECT_EQ(mann_whitney(Values{1, 1, 1}, Values{1, 1}).p, 1);
}

TEST(MannWhitney, ApproximationAgreesWithTheExactCount) {
  Values a;
  Values b;
  for (int i = 0; i < 20; ++i) {
    a.push_back(i + 0.5);
    b.push_back(i * 1.3);
  }
  const double exact = mann_whitney(a, b).p;
  a.push_back(10.25);  // one more than the exact limit
  EXPECT_NEAR(mann_whitney(a, b).p, exact, 0.03);
}

TEST(MannWhitney, FalsePositivesAreAsRareAsStated) {
  std::mt19937_64 random(3);
  std::normal_distribution<double> draw(0, 1);
  int alarms = 0;
  constexpr int kTrials = 1000;
  for (int trial = 0; trial < kTrials; ++trial) {
    Values a(12);
    Values b(12);
    for (double& value : a) value = draw(random);
    for (double& value : b) value = draw(random);
    alarms += mann_whitney(a, b).p < 0.05 ? 1 : 0;
  }
  EXPECT_GT(alarms, 25);
  EXPECT_LT(alarms, 70);
}

}  // namespace
}  // namespace tacho
