#include "serving/load/arrivals.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tacho::load {
namespace {

std::vector<double> all_of(const ArrivalPlan& plan, int lanes = 1) {
  std::vector<double> times;
  for (int lane = 0; lane < lanes; ++lane) {
    const auto arrivals = plan.arrivals({lane, lanes});
    while (const auto second = arrivals->next()) times.push_back(*second);
  }
  std::ranges::sort(times);
  return times;
}

TEST(RateProfile, ARampIsDueByTheAreaUnderIt) {
  const RateProfile ramp = RateProfile::ramp(0, 100, 10);
  EXPECT_DOUBLE_EQ(ramp.requests(), 500);
  EXPECT_DOUBLE_EQ(*ramp.second_of(125), 5);  // half the time, a quarter of the requests
  EXPECT_DOUBLE_EQ(ramp.rate_at(5), 50);
  EXPECT_FALSE(ramp.second_of(500));
  const RateProfile down = RateProfile::ramp(100, 0, 10);
  EXPECT_DOUBLE_EQ(*down.second_of(375), 5);
}

TEST(RateProfile, PiecesMayIncludeAPause) {
  RateProfile profile;
  profile.add(10, 10, 2);
  profile.add(0, 0, 5);
  profile.add(20, 20, 1);
  EXPECT_DOUBLE_EQ(profile.seconds(), 8);
  EXPECT_DOUBLE_EQ(*profile.second_of(19), 1.9);
  EXPECT_DOUBLE_EQ(*profile.second_of(30), 7.5);
  EXPECT_DOUBLE_EQ(profile.rate_at(4), 0);
}

TEST(Arrivals, AreEvenlySpacedAtAConstantRate) {
  const auto times = all_of({.profile = RateProfile::constant(100, 2)});
  ASSERT_EQ(times.size(), 200U);
  for (std::size_t i = 0; i < times.size(); ++i) {
    ASSERT_NEAR(times[i], (static_cast<double>(i) + 0.5) / 100, 1e-9);
  }
}

TEST(Arrivals, HaveTheRateAndVarianceOfPoisson) {
  const auto times =
      all_of({.profile = RateProfile::constant(1000, 100), .spacing = Spacing::poisson, .seed = 7});
  EXPECT_NEAR(static_cast<double>(times.size()), 100'000, 4 * 316);
  // Poisson: the variance of the count per second equals the mean.
  double variance = 0;
  for (int second = 0; second < 100; ++second) {
    const auto in_it = std::ranges::lower_bound(times, second + 1.0) -
                       std::ranges::lower_bound(times, static_cast<double>(second));
    variance += (static_cast<double>(in_it) - 1000) * (static_cast<double>(in_it) - 1000) / 100;
  }
  EXPECT_GT(variance, 600);
  EXPECT_LT(variance, 1600);
}

TEST(Arrivals, AreIndependentOfTheNumberOfLanes) {
  const ArrivalPlan plan{
      .profile = RateProfile::ramp(10, 500, 3), .spacing = Spacing::poisson, .seed = 3};
  EXPECT_EQ(all_of(plan, 3), all_of(plan, 1));
  const auto recorded = std::make_shared<std::vector<double>>(std::vector<double>{0, 0.5, 0.5, 3});
  EXPECT_EQ(all_of({.recorded = recorded}, 2), *recorded);
}

}  // namespace
}  // namespace tacho::load
