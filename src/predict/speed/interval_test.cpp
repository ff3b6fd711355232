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
    out.push_back(
        {.deviation = deviation, .error = deviation * normal, .group = std::to_string(i % 400)});
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
  EXPECT_NEAR(static_cast<double>(within) / static_cast<double>(fresh.size()), 0.91, 0.015);
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

// Errors three times as large as their deviation for new families, and `few` of new generations.
std::vector<CrossValidated> two_kinds(std::uint64_t seed, std::size_t few) {
  std::vector<CrossValidated> out = calibrated(seed);
  for (std::size_t i = 0; i < out.size(); i += 2) {
    out[i].error *= 3;
    out[i].novelty.model = ModelNovelty::family;
  }
  for (std::size_t i = 0; i < few; ++i) {
    out.push_back({.deviation = 0.1, .error = 10, .novelty = {.gpu = GpuNovelty::architecture}});
  }
  return out;
}

TEST(NoveltyIntervals, CoverNinetyPercentOfEachKind) {
  const NoveltyIntervals intervals = NoveltyIntervals::learn(two_kinds(1, 0));
  std::map<ModelNovelty, std::pair<double, double>> within;
  for (const CrossValidated& one : two_kinds(2, 0)) {
    auto& [covered, jobs] = within[one.novelty.model];
    covered += std::abs(one.error) <= intervals.reach(one.novelty, one.deviation) ? 1 : 0;
    ++jobs;
  }
  ASSERT_EQ(within.size(), 2U);
  for (const auto& [model, of_kind] : within) {
    EXPECT_NEAR(of_kind.first / of_kind.second, 0.91, 0.025);
  }
}

TEST(NoveltyIntervals, AreWiderIfFewGroupsWereHeldOut) {
  auto few = calibrated(1);
  for (CrossValidated& one : few) one.group = one.deviation < 0.3 ? "a" : "b";
  const double of_many = NoveltyIntervals::learn(calibrated(1)).reach({}, 0.2);
  EXPECT_GT(NoveltyIntervals::learn(few).reach({}, 0.2), 1.1 * of_many);
}

TEST(NoveltyIntervals, AFewJobsOfAKindHaveLittleWeight) {
  const Novelty rare{.gpu = GpuNovelty::architecture};
  const NoveltyIntervals without = NoveltyIntervals::learn(two_kinds(1, 0));
  const NoveltyIntervals with = NoveltyIntervals::learn(two_kinds(1, 3));
  EXPECT_GT(with.reach(rare, 0.1), without.reach(rare, 0.1));
  EXPECT_LT(with.reach(rare, 0.1), 1.5 * without.reach(rare, 0.1));
}

}  // namespace
}  // namespace tacho
