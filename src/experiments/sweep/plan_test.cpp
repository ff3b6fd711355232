#include "experiments/sweep/plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "experiments/sweep/test_grids.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

Result<std::vector<PlannedRun>> plan_of(std::string_view text) {
  return plan_runs(*grid_of(text), some_readers());
}

std::vector<std::int64_t> batches_of(std::string_view text) {
  const auto runs = plan_of(text);
  std::vector<std::int64_t> batches;
  if (runs.ok()) {
    for (const PlannedRun& run : *runs) batches.push_back(run.asked.spec.batch);
  }
  return batches;
}

TEST(Plan, RepeatsEveryConfiguration) {
  const auto runs =
      plan_of("base: {model: mlp, data: synthetic}\nmatrix: {batch: [1, 2]}\nrepeat: 2\n");
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  ASSERT_EQ(runs->size(), 4U);
  EXPECT_EQ((*runs)[1].repetition, 2);
  EXPECT_EQ((*runs)[1].asked.spec.batch, 1);
}

TEST(Plan, NamesTheInvalidConfiguration) {
  const auto runs = plan_of("base: {model: mlp, data: synthetic}\nmatrix: {batch: [1, -2]}\n");
  ASSERT_FALSE(runs.ok());
  EXPECT_EQ(
      runs.error().message,
      "configuration 2 (model=mlp data=synthetic batch=-2): --batch must be at least 1, not -2");
}

TEST(Plan, PutsTheCheapestFirst) {
  EXPECT_THAT(batches_of("base: {model: mlp, data: synthetic}\nmatrix: {batch: [3, 1, 2]}\norder: "
                         "cheapest-first\n"),
              ElementsAre(1, 2, 3));
}

TEST(Plan, RandomOrderIsDeterministic) {
  constexpr std::string_view kText =
      "base: {model: mlp, data: synthetic}\nmatrix: {batch: {from: 1, to: 50}}\norder: random\n";
  auto batches = batches_of(kText);
  EXPECT_EQ(batches, batches_of(kText));
  EXPECT_FALSE(std::is_sorted(batches.begin(), batches.end()));
  std::sort(batches.begin(), batches.end());
  EXPECT_EQ(batches.back(), 50);
  EXPECT_EQ(batches.size(), 50U);
}

TEST(Plan, RandomOrderRunsEveryConfigurationOnceBeforeRepeating) {
  const auto runs = plan_of(
      "base: {model: mlp, data: synthetic}\nmatrix: {batch: {from: 1, to: 50}}\nrepeat: 2\norder: "
      "random\n");
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  ASSERT_EQ(runs->size(), 100U);
  EXPECT_EQ((*runs)[49].repetition, 1);
  EXPECT_EQ((*runs)[50].repetition, 2);
}

TEST(Plan, AdaptiveKeepsTheOrderOfTheFile) {
  constexpr std::string_view kText =
      "base: {model: mlp, data: synthetic}\nmatrix: {batch: [3, 1, 2]}\norder: adaptive\n";
  EXPECT_THAT(batches_of(kText), ElementsAre(3, 1, 2));
}

TEST(Plan, FillsInTheWordsOfAProgram) {
  const auto runs = plan_of("base: {command: [train, '-n{n}']}\nmatrix: {n: [1, 2]}\n");
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  EXPECT_THAT((*runs)[1].asked.command->argv, ElementsAre("train", "-n2"));
}

}  // namespace
}  // namespace tacho
