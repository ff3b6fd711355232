#include "experiments/compare/schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "experiments/compare/simulated.h"

namespace tacho {
namespace {

std::optional<Ratio> as_wide_as(double width) {
  return Ratio{1, Interval{1 - width / 2, 1 + width / 2}, true, 10, 10};
}

BlocksDone done(std::int64_t blocks, double width, double elapsed = 0, double block_time = 1) {
  return {blocks, Seconds(elapsed), Seconds(block_time), {as_wide_as(0.001), as_wide_as(width)}};
}

TEST(BlockOrder, ContainsEveryVariantOnceAndIsDeterministic) {
  std::set<std::vector<std::size_t>> orders;
  for (std::int64_t block = 0; block < 60; ++block) {
    auto order = block_order(3, block, 7);
    EXPECT_EQ(order, block_order(3, block, 7));
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, (std::vector<std::size_t>{0, 1, 2}));
  }
  EXPECT_EQ(orders.size(), 6U);
  EXPECT_TRUE(block_order(0, 1, 7).empty());
}

TEST(BlockOrder, PutsEachVariantFirstEquallyOften) {
  int first = 0;
  for (std::int64_t block = 1; block <= 4000; ++block) first += block_order(4, block, 1)[0] == 2;
  EXPECT_NEAR(first, 1000, 90);
}

TEST(StopRule, StopsWhenTheWidestIntervalIsNarrowEnough) {
  const StopRule rule{.resolution = 0.01, .min_repeats = 5, .max_repeats = 50};
  EXPECT_EQ(reason_to_stop(rule, done(4, 0.009)), StopReason::none);
  EXPECT_EQ(reason_to_stop(rule, done(5, 0.009)), StopReason::resolution);
  EXPECT_EQ(reason_to_stop(rule, done(5, 0.011)), StopReason::none);
  EXPECT_EQ(reason_to_stop(rule, done(50, 0.011)), StopReason::repeats);
}

TEST(StopRule, StartsNoBlockThatEndsTooLate) {
  const StopRule rule{.max_time = Seconds(100), .min_repeats = 5};
  EXPECT_EQ(reason_to_stop(rule, done(8, 0.05, 89, 10)), StopReason::none);
  EXPECT_EQ(reason_to_stop(rule, done(8, 0.05, 91, 10)), StopReason::time);
  EXPECT_EQ(reason_to_stop(rule, done(1, 0.05, 91, 10)), StopReason::none);
}

TEST(StopRule, WaitsForIntervalsButNotForUndefinedRatios) {
  const StopRule rule{.min_repeats = 2};
  BlocksDone at = done(3, 0.001);
  at.ratios.push_back(std::nullopt);
  EXPECT_EQ(reason_to_stop(rule, at), StopReason::resolution);
  at.ratios.push_back(Ratio{});
  EXPECT_EQ(reason_to_stop(rule, at), StopReason::none);
}

// 5, 6, 8, 10, 12, 15, 18, 22, 27, …: 20 % more each time.
TEST(StopRule, ChecksWidthsRarely) {
  const StopRule rule{.resolution = 0.01, .min_repeats = 5, .max_repeats = 50};
  std::vector<std::int64_t> looks;
  for (std::int64_t blocks = 1; blocks < 28; ++blocks) {
    if (is_look(rule, blocks)) looks.push_back(blocks);
  }
  EXPECT_EQ(looks, (std::vector<std::int64_t>{5, 6, 8, 10, 12, 15, 18, 22, 27}));
  EXPECT_EQ(reason_to_stop(rule, done(7, 0.009)), StopReason::none);
  EXPECT_EQ(reason_to_stop(rule, done(8, 0.009)), StopReason::resolution);
}

// Twice the allowed width needs four times the blocks: 24, and the next check is at 27.
TEST(StopRule, EstimatesRemainingBlocksAndTime) {
  const StopRule rule{.resolution = 0.01, .min_repeats = 5, .max_repeats = 50};
  EXPECT_EQ(blocks_left(rule, done(6, 0.02)), 21);
  EXPECT_EQ(blocks_left(rule, done(6, 0.005)), 0);
  EXPECT_EQ(blocks_left(rule, done(2, 0.001)), 3);
  EXPECT_EQ(blocks_left(rule, done(40, 0.02)), 10);
  EXPECT_EQ(time_left(rule, done(6, 0.02, 60, 10)), Seconds(210));
  const StopRule short_rule{.resolution = 0.01, .max_time = Seconds(100)};
  EXPECT_EQ(time_left(short_rule, done(6, 0.02, 60, 10)), Seconds(40));
  EXPECT_EQ(time_left(short_rule, done(6, 0.02, 160, 10)), Seconds(0));
}

TEST(StopRule, RejectsInvalidRules) {
  EXPECT_TRUE(check(StopRule{}).ok());
  EXPECT_EQ(check(StopRule{.resolution = 0}).error().message,
            "--resolution must be above 0 and at most 1000 %, not 0 %");
  EXPECT_FALSE(check(StopRule{.resolution = std::nan("")}).ok());
  EXPECT_FALSE(check(StopRule{.max_time = Seconds(-1)}).ok());
  EXPECT_FALSE(check(StopRule{.min_repeats = 1}).ok());
  EXPECT_FALSE(check(StopRule{.min_repeats = 5, .max_repeats = 4}).ok());
}

TEST(Noise, IsSeparatedFromDriftAndOutliers) {
  for (const Noise kind : {Noise::normal, Noise::outliers}) {
    SimulatedMachine machine(5, kind, 0.02, 0.001);
    const Group group = simulated(machine, 400, 1.5);
    const std::vector<Sample> samples = {group.first, group.second};
    EXPECT_NEAR(*noise_of(samples), 0.02, 0.004);
  }
}

TEST(Noise, SpreadShowsDrift) {
  SimulatedMachine machine(5, Noise::normal, 0.01, 0.01);
  const Group group = simulated(machine, 200, 1);
  const std::vector<Sample> samples = {group.first, group.second};
  EXPECT_GT(*spread_of(samples), 1.5 * *noise_of(samples));
}

TEST(Noise, NeedsValuesToCompare) {
  EXPECT_FALSE(noise_of(std::vector<Sample>{{{1}, {1}}}));
  EXPECT_FALSE(noise_of(std::vector<Sample>{{{0, 1, 2}, {}}}));
}

TEST(StopRule, StopsIfAsManyBlocksAreDisturbedAsCounted) {
  const StopRule rule{.resolution = 0.01, .min_repeats = 5, .max_repeats = 50};
  BlocksDone at = done(3, 0.05);
  at.disturbed = 4;
  EXPECT_EQ(reason_to_stop(rule, at), StopReason::none);
  at.disturbed = 5;
  EXPECT_EQ(reason_to_stop(rule, at), StopReason::busy);
  at.blocks = 6;
  EXPECT_EQ(reason_to_stop(rule, at), StopReason::none);
  at.disturbed = 6;
  EXPECT_EQ(reason_to_stop(rule, at), StopReason::busy);
}

TEST(StopRule, DisturbedBlocksUseUpTime) {
  const StopRule rule{.max_time = Seconds(100), .min_repeats = 5};
  BlocksDone at = done(0, 0.05, 91, 10);
  at.disturbed = 2;
  EXPECT_EQ(reason_to_stop(rule, at), StopReason::time);
}

}  // namespace
}  // namespace tacho
