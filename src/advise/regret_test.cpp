#include "advise/regret.h"

#include <gtest/gtest.h>

#include <array>

namespace tacho {
namespace {

TEST(Regret, IsWhatTheRecommendedPlanCostsAboveTheCheapest) {
  const std::array<SettledPlan, 3> plans = {{{3, 10}, {1, 12}, {2, 11}}};
  const Regret regret = regret_of(plans);
  EXPECT_DOUBLE_EQ(regret.excess, 0.2);
  EXPECT_EQ(regret.best_rank, 3U);
}

TEST(Regret, ManySweepsGiveAWorstAMeanAndTheFirstThree) {
  const std::array<Regret, 4> regrets = {{{0, 1}, {0.04, 2}, {0.1, 4}, {0.02, 3}}};
  const RegretScore score = score_regrets(regrets);
  EXPECT_EQ(score.sweeps, 4U);
  EXPECT_DOUBLE_EQ(score.worst_excess, 0.1);
  EXPECT_DOUBLE_EQ(score.mean_excess, 0.04);
  EXPECT_DOUBLE_EQ(score.first_three, 0.75);
}

}  // namespace
}  // namespace tacho
