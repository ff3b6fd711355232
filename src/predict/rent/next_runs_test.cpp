#include "predict/rent/next_runs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"
#include "predict/rent/cost_posterior.h"

namespace tacho {
namespace {

// A grid of known truth: the cost falls up to batch 128 and rises after it; the second model costs
// twice as much.
double truth(const std::string& model, int batch) {
  return (model == "a" ? 1 : 2) * (1 + std::pow(std::log2(batch / 128.0), 2) / 8);
}

std::vector<Trial> grid() {
  std::vector<Trial> trials;
  for (const char* model : {"a", "b"}) {
    for (const int batch : {8, 16, 32, 64, 128, 256, 512}) {
      trials.push_back({{{"model", model}, {"batch", std::to_string(batch)}}});
    }
  }
  return trials;
}

void measure(Trial& trial) {
  trial.cost = truth(trial.options[0].second, std::stoi(trial.options[1].second));
}

std::size_t predicted_cheapest(const std::vector<Trial>& trials) {
  const CostPosterior posterior(trials);
  std::size_t best = 0;
  for (std::size_t i = 1; i < trials.size(); ++i) {
    if (posterior.mean(i) < posterior.mean(best)) best = i;
  }
  return best;
}

TEST(CostPosterior, IsCertainAtMeasuredTrialsAndNearlySoAroundThem) {
  auto trials = grid();
  for (const std::size_t i : {0U, 2U, 4U, 6U, 7U}) measure(trials[i]);
  const CostPosterior posterior(trials);
  EXPECT_NEAR(posterior.cost(4).value, 1, 0.1);
  EXPECT_NEAR(posterior.cost(3).value, truth("a", 64), 0.25);
  // The second model was measured once, at batch 8: it costs more and is uncertain far from there.
  EXPECT_GT(posterior.cost(11).value, posterior.cost(4).value);
  EXPECT_GT(posterior.deviation(11), posterior.deviation(3));
  EXPECT_LT(posterior.cost(3).low, posterior.cost(3).value);
}

TEST(NextRuns, FindTheCheapestWithoutRunningTheWholeGrid) {
  auto trials = grid();
  for (int made = 0; made < 7; ++made) {
    const auto next = next_runs(trials, 1);
    ASSERT_EQ(next.size(), 1U);
    ASSERT_FALSE(trials[next[0].trial].cost);
    measure(trials[next[0].trial]);
  }
  EXPECT_EQ(predicted_cheapest(trials), 4U);
}

TEST(NextRuns, SkipTrialsThatCannotBeTheCheapest) {
  auto trials = grid();
  // All of the expensive model except its middle, and the ends of the cheap one.
  for (const std::size_t i : {0U, 6U, 7U, 9U, 11U, 13U}) measure(trials[i]);
  for (const NextRun& next : next_runs(trials, 3)) EXPECT_LT(next.trial, 7U);
}

TEST(NextRuns, AreDifferentAndAtMostAllTrials) {
  auto trials = grid();
  measure(trials[4]);
  const auto next = next_runs(trials, 100);
  ASSERT_EQ(next.size(), 13U);
  std::vector<std::size_t> order;
  for (const NextRun& one : next) {
    order.push_back(one.trial);
    EXPECT_GE(one.gain, 0);
    EXPECT_LE(one.gain, 1);
  }
  std::ranges::sort(order);
  EXPECT_EQ(std::ranges::adjacent_find(order), order.end());
  EXPECT_TRUE(next_runs({}, 5).empty());
}

TEST(NextRuns, SkipRunningTrials) {
  auto trials = grid();
  measure(trials[4]);
  const auto first = next_runs(trials, 2);
  trials[first[0].trial].under_way = true;
  const auto second = next_runs(trials, 1);
  EXPECT_EQ(second[0].trial, first[1].trial);
}

TEST(NextRuns, UseAPredictorUntilRunsContradictIt) {
  auto trials = grid();
  for (Trial& trial : trials) {
    trial.predicted = 3 * truth(trial.options[0].second, std::stoi(trial.options[1].second));
  }
  measure(trials[0]);
  // One run gives the factor, and with it the cheapest trial.
  EXPECT_EQ(predicted_cheapest(trials), 4U);
}

TEST(NextRuns, AcceptRepeatsAndUnusualWords) {
  std::vector<Trial> trials;
  for (int seed = 0; seed < 6; ++seed) {
    trials.push_back({{{"lr", seed % 2 == 0 ? "0" : "-1"}, {"seed", std::to_string(seed)}}});
  }
  trials[0].cost = 1;
  trials[1].cost = 2;
  EXPECT_EQ(next_runs(trials, 2).size(), 2U);
  const std::vector<Trial> same(4);
  EXPECT_EQ(next_runs(same, 2).size(), 2U);
}

}  // namespace
}  // namespace tacho
