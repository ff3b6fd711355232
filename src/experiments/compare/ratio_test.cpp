#include "experiments/compare/ratio.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

const Sample kBase = {{1.00, 1.02, 0.99, 1.05, 1.01, 1.00, 1.03}, {1, 2, 3, 4, 5, 6, 7}};
const Sample kOther = {{1.04, 1.05, 1.03, 1.07, 1.06, 1.01, 1.08}, {7, 6, 5, 4, 3, 2, 1}};

Sample without_blocks(Sample sample) {
  sample.blocks.clear();
  return sample;
}

Sample scaled(Sample sample, double factor) {
  for (double& value : sample.values) value *= factor;
  return sample;
}

TEST(RatioInterval, OfAScaledCopyIsTheFactor) {
  const auto ratio = ratio_interval(kBase, scaled(kBase, 1.25));
  ASSERT_TRUE(ratio && ratio->interval);
  EXPECT_TRUE(ratio->paired);
  EXPECT_NEAR(ratio->value, 1.25, 1e-12);
  EXPECT_NEAR(ratio->interval->low, 1.25, 1e-12);
  EXPECT_NEAR(ratio->interval->high, 1.25, 1e-12);
}

TEST(RatioInterval, PairsWithinBlocksInAnyOrder) {
  const auto pairs = paired_by_block(kBase, kOther);
  ASSERT_TRUE(pairs);
  EXPECT_EQ(pairs->first, kBase.values);
  EXPECT_EQ(pairs->second.front(), 1.08);
  EXPECT_EQ(pairs->second.back(), 1.04);
}

TEST(RatioInterval, IgnoresBlocksThatOneSampleLacks) {
  const Sample other = {{2, 4, 8}, {2, 9, 3}};
  const auto ratio = ratio_interval(kBase, other);
  ASSERT_TRUE(ratio);
  EXPECT_EQ(ratio->first_count, 2U);
  EXPECT_EQ(ratio->second_count, 2U);
  EXPECT_FALSE(ratio_interval(kBase, {{2, 4}, {8, 9}})->paired);
}

TEST(RatioInterval, SwappingTheSamplesInvertsIt) {
  for (const bool blocks : {true, false}) {
    const Sample a = blocks ? kBase : without_blocks(kBase);
    const Sample b = blocks ? kOther : without_blocks(kOther);
    const auto one = ratio_interval(a, b);
    const auto two = ratio_interval(b, a);
    ASSERT_TRUE(one && two && one->interval && two->interval);
    EXPECT_EQ(one->paired, blocks);
    EXPECT_NEAR(one->value * two->value, 1, 1e-12);
    EXPECT_NEAR(one->interval->low * two->interval->high, 1, 1e-12);
    EXPECT_NEAR(one->interval->high * two->interval->low, 1, 1e-12);
  }
}

TEST(RatioInterval, ScalingBothSamplesDoesNotChangeIt) {
  const auto one = ratio_interval(kBase, kOther);
  const auto two = ratio_interval(scaled(kBase, 1e-6), scaled(kOther, 1e-6));
  ASSERT_TRUE(one && two && one->interval && two->interval);
  EXPECT_NEAR(one->value, two->value, 1e-12);
  EXPECT_NEAR(one->interval->low, two->interval->low, 1e-12);
  EXPECT_NEAR(one->interval->high, two->interval->high, 1e-12);
}

TEST(RatioInterval, WithZerosItIsTheShiftOverTheFirstMedian) {
  const auto ratio = ratio_interval({{0, 10, 10, 10, 20}, {}}, {{5, 15, 15, 15, 25}, {}});
  ASSERT_TRUE(ratio);
  EXPECT_DOUBLE_EQ(ratio->value, 1.5);
}

TEST(RatioInterval, ZerosAgainstZerosAreEqual) {
  const auto ratio = ratio_interval({{0, 0, 0, 0}, {}}, {{0, 0, 0, 0}, {}});
  ASSERT_TRUE(ratio && ratio->interval);
  EXPECT_EQ(ratio->value, 1);
  EXPECT_EQ(ratio->interval->high, 1);
}

TEST(RatioInterval, IsAbsentIfUndefined) {
  EXPECT_FALSE(ratio_interval({{0, 0, 0, 0}, {}}, {{1, 2, 3, 4}, {}}));
  EXPECT_FALSE(ratio_interval({{}, {}}, {{1}, {}}));
}

}  // namespace
}  // namespace tacho
