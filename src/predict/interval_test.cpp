#include "predict/interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace tacho {
namespace {

// Errors that are as large as their deviation says, in the mean.
std::vector<Rehearsed> honest(std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<Rehearsed> out;
  for (int i = 0; i < 8000; ++i) {
    const double deviation = random.between(0.05, 0.6);
    double normal = -6;
    for (int k = 0; k < 12; ++k) normal += random.between(0, 1);
    out.push_back({deviation, deviation * normal, 1});
  }
  return out;
}

TEST(Interval, CoversNineTenthsOfWhatItHasNotSeen) {
  const Interval interval = Interval::learn(honest(1));
  int within = 0;
  const auto fresh = honest(2);
  for (const auto& [deviation, error, weight] : fresh) {
    within += std::abs(error) <= interval.reach(deviation) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(within) / static_cast<double>(fresh.size()), 0.9, 0.015);
}

TEST(Interval, GrowsWithTheDeviation) {
  const Interval interval = Interval::learn(honest(3));
  double before = 0;
  for (double deviation = 0.01; deviation < 3; deviation *= 1.2) {
    EXPECT_GE(interval.reach(deviation), before);
    before = interval.reach(deviation);
  }
  EXPECT_GT(before, 2);
}

TEST(Interval, WithoutRehearsalIsThatOfANormalError) {
  EXPECT_DOUBLE_EQ(Interval::learn({}).reach(0.1), 0.164);
}

}  // namespace
}  // namespace tacho
