#include "experiments/compare/shift.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace tacho {
namespace {

using Values = std::vector<double>;

// Six values have 21 Walsh averages. The first excludes 1/64 at each end and the second 2/64:
// 2.5 % is 0.6 of the way between them, here 0.25 and 0.75.
TEST(PairedShift, InterpolatesBetweenTheStepsOfTheSignedRanks) {
  const Shift shift = paired_shift(Values{0.25, 1.25, 2.5, 4.5, 8.5, 16.5}, 0.95);
  ASSERT_TRUE(shift.interval);
  EXPECT_NEAR(shift.interval->low, 0.25 + 0.6 * 0.5, 1e-12);
  EXPECT_NEAR(shift.interval->high, 16.5 - 0.6 * 4, 1e-12);
}

// Hollander and Wolfe's depression scores: R's wilcox.test(x, y, paired = TRUE, conf.int = TRUE)
// estimates 0.46.
TEST(PairedShift, AgreesWithR) {
  const Values differences = {0.952, -0.147, 1.022, 0.43, 0.62, 0.59, 0.49, -0.08, 0.01};
  EXPECT_NEAR(paired_shift(differences, 0.95).value, 0.46, 1e-9);
}

// 4 against 4: of 70 arrangements 1 has U = 0 and 1 has U = 1.
TEST(UnpairedShift, InterpolatesBetweenTheStepsOfMannWhitney) {
  const Values first = {1, 2, 3, 4};
  const Values second = {10, 20, 40, 80};
  const Shift shift = unpaired_shift(first, second, 0.95);
  ASSERT_TRUE(shift.interval);
  const double way = (0.025 - 1.0 / 70) / (1.0 / 70);
  EXPECT_NEAR(shift.interval->low, 6 + way, 1e-12);  // 10 − 4, then 10 − 3
  EXPECT_NEAR(shift.interval->high, 79 - way, 1e-12);
  EXPECT_DOUBLE_EQ(shift.value, 27.5);  // between 20 − 1 = 19 and 40 − 4 = 36
}

TEST(Shift, UsesStudentsIntervalIfRanksAreTooFew) {
  const Shift paired = paired_shift(Values{1, 2, 3}, 0.95);
  ASSERT_TRUE(paired.interval);
  EXPECT_NEAR(paired.interval->high, 2 + 4.302652730 / std::sqrt(3.0), 1e-8);
  const Shift unpaired = unpaired_shift(Values{1, 2, 3}, Values{11, 12, 13}, 0.95);
  ASSERT_TRUE(unpaired.interval);
  EXPECT_NEAR(unpaired.interval->low, 10 - 2.776445105 * std::sqrt(2.0 / 3), 1e-8);
}

TEST(Shift, HasNoIntervalFromASingleValue) {
  EXPECT_FALSE(paired_shift(Values{1}, 0.95).interval);
  EXPECT_FALSE(unpaired_shift(Values{1}, Values{1, 2, 3}, 0.95).interval);
}

TEST(Shift, NormalApproximationAgreesWithTheExactOne) {
  Values differences;
  for (int i = 0; i < 50; ++i) differences.push_back((i * 37 % 50) / 10.0);
  const Shift exact = paired_shift(differences, 0.95);
  differences.push_back(2.45);
  const Shift approximate = paired_shift(differences, 0.95);
  EXPECT_NEAR(approximate.interval->low, exact.interval->low, 0.03);
  EXPECT_NEAR(approximate.interval->high, exact.interval->high, 0.03);
}

}  // namespace
}  // namespace tacho
