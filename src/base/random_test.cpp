#include "base/random.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tacho {
namespace {

// Recorded runs can be repeated only while these stay the same: the published outputs of SplitMix64
// from state 0, and the order of an epoch.
TEST(Random, KeepsItsSequence) {
  Random random(0, 0);
  EXPECT_EQ(random.next(), 0xE220A8397B1DCDAFU);
  EXPECT_EQ(random.next(), 0x6E789E6AA1B965F4U);
  std::vector<int> order = {0, 1, 2, 3, 4, 5, 6, 7};
  Random(1, 2).shuffle(order);
  EXPECT_THAT(order, testing::ElementsAre(5, 1, 7, 3, 4, 6, 0, 2));
}

TEST(Random, BetweenCoversExactlyItsRange) {
  Random random(3, 0);
  double least = 9;
  double most = 0;
  double sum = 0;
  for (int i = 0; i < 10'000; ++i) {
    const double value = random.between(2, 4);
    least = std::min(least, value);
    most = std::max(most, value);
    sum += value;
  }
  EXPECT_GE(least, 2);
  EXPECT_LT(least, 2.001);
  EXPECT_LT(most, 4);
  EXPECT_GT(most, 3.999);
  EXPECT_NEAR(sum / 10'000, 3, 0.02);
}

TEST(SampleSeed, DiffersBetweenAdjacentSeedsEpochsAndSamples) {
  std::set<std::uint64_t> seeds;
  for (std::uint64_t run = 0; run < 8; ++run) {
    for (std::uint64_t epoch = 0; epoch < 8; ++epoch) {
      for (std::uint64_t index = 0; index < 64; ++index) {
        seeds.insert(sample_seed(run, epoch, index));
      }
    }
  }
  EXPECT_EQ(seeds.size(), 8U * 8 * 64);
}

}  // namespace
}  // namespace tacho
