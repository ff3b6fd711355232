#include "predict/speed/interval.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace tacho {
namespace {

// Errors whose mean size equals their deviation.
std::vector<CrossValidated> calibrated(std::uint64_t seed) {
  Random random(seed, 0);
  std::vector<CrossValidated> out;
  for (int i = 0; i < 8000; ++i) {
    const double deviation = random.between(0.05, 0.6);
    double normal = -6;
    for (int k = 0; k < 12; ++k) normal += random.between(0, 1);
    out.push_back({.deviation = deviation, .error = deviation * normal});
  }
  return out;
}

TEST(ConformalInterval, CoversNinetyPercentOfNewJobs) {
  const ConformalInterval interval = ConformalInterval::learn(calibrated(1));
  int within = 0;
  const auto fresh = calibrated(2);
  for (const CrossValidated& one : fresh) {
    within += std::abs(one.error) <= interval.reach(one.deviation) ? 1 : 0;
  }
  EXPECT_NEAR(static_cast<double>(within) / static_cast<double>(fresh.size()), 0.9, 0.015);
}

TEST(ConformalInterval, UsesTheDeviationAloneWithFewJobs) {
  auto few = calibrated(4);
  few.resize(7);
  for (CrossValidated& one : few) one.error = 0.001;  // small by accident
  EXPECT_DOUBLE_EQ(ConformalInterval::learn(few).reach(0.5), 1.64 * 0.5);
}

TEST(ConformalInterval, GrowsWithTheDeviation) {
  const ConformalInterval interval = ConformalInterval::learn(calibrated(3));
  double before = 0;
  for (double deviation = 0.01; deviation < 3; deviation *= 1.2) {
    EXPECT_GE(interval.reach(deviation), before);
    before = interval.reach(deviation);
  }
  EXPECT_GT(before, 2);
}

TEST(ConformalInterval, WithoutCrossValidationIsNormal) {
  EXPECT_DOUBLE_EQ(ConformalInterval::learn({}).reach(0.1), 0.164);
}

}  // namespace
}  // namespace tacho
