#include "predict/rent/regret.h"

#include <gtest/gtest.h>

#include <array>

namespace tacho {
namespace {

TEST(Regret, IsTheExcessCostOfTheRecommendedPlan) {
  const std::array<SettledPlan, 3> plans = {{{3, 10}, {1, 12}, {2, 11}}};
  const Regret regret = regret_of(plans);
  EXPECT_DOUBLE_EQ(regret.excess, 0.2);
  EXPECT_EQ(regret.best_rank, 3U);
}

TEST(Regret, SummarisesManySweeps) {
  const std::array<Regret, 4> regrets = {{{0, 1}, {0.04, 2}, {0.1, 4}, {0.02, 3}}};
  const RegretScore score = score_regrets(regrets);
  EXPECT_EQ(score.sweeps, 4U);
  EXPECT_DOUBLE_EQ(score.worst_excess, 0.1);
  EXPECT_DOUBLE_EQ(score.mean_excess, 0.04);
  EXPECT_DOUBLE_EQ(score.first_three, 0.75);
  EXPECT_DOUBLE_EQ(score.within, 0.75);
}

TEST(Regret, PredictsFromOtherRunsOnly) {
  std::vector<SettledRun> runs;
  for (const char* sweep : {"a", "b", "c"}) {
    for (int i = 1; i <= 6; ++i) {
      // Each twice.
      runs.push_back({sweep, std::to_string(i), 1.0 * i});
      runs.push_back({sweep, std::to_string(i), 1.1 * i});
    }
  }
  for (const HeldOut held_out : {HeldOut::configurations, HeldOut::sweeps}) {
    std::size_t asked_in_all = 0;
    const auto score = evaluate_regret(
        runs, held_out, 5,
        [&](const std::vector<std::size_t>& seen,
            const std::vector<std::size_t>& asked) -> Result<std::vector<std::optional<double>>> {
          asked_in_all += asked.size();
          std::vector<std::optional<double>> costs;
          for (const std::size_t one : asked) {
            for (const std::size_t other : seen) {
              const bool same = runs[one].sweep == runs[other].sweep &&
                                (held_out == HeldOut::sweeps ||
                                 runs[one].configuration == runs[other].configuration);
              EXPECT_FALSE(same);
            }
            // Predicts the second as the cheapest and abstains for the fourth.
            const std::string& name = runs[one].configuration;
            costs.push_back(name == "2"   ? std::optional(0.5)
                            : name == "4" ? std::nullopt
                                          : std::optional(runs[one].cost));
          }
          return costs;
        });
    ASSERT_TRUE(score.ok());
    EXPECT_EQ(asked_in_all, runs.size());
    EXPECT_EQ(score->sweeps, 3U);
    EXPECT_NEAR(score->mean_excess, 1, 1e-9);
    EXPECT_EQ(score->first_three, 1);
    EXPECT_EQ(score->within, 0);
  }
}

}  // namespace
}  // namespace tacho
