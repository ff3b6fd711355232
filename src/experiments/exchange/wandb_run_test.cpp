#include "experiments/exchange/wandb_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "experiments/exchange/test_wandb.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::SizeIs;
using testing::UnorderedElementsAre;

TEST(WandbRun, KeepsWhatTheRunIsCalledAndHowItEnded) {
  const auto run = read_wandb_run(wandb_file(wandb_records()));
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(run->id, "3fa8c1 1000.500000");
  EXPECT_EQ(run->origin, "W&B run 3fa8c1 of host box");
  EXPECT_EQ(run->described.name, "base");
  EXPECT_EQ(run->described.project, "digits");
  EXPECT_THAT(run->described.tags, ElementsAre("small", "cpu"));
  EXPECT_THAT(run->described.config,
              UnorderedElementsAre(Pair("lr", "0.1"), Pair("api_key", "***")));
  EXPECT_THAT(run->notes, ElementsAre("a note"));
  EXPECT_EQ(run->output, "step 0\n");
  EXPECT_EQ(run->began, 1000.5);
  EXPECT_EQ(run->ended, 1002.5);
  EXPECT_EQ(run->outcome, Outcome::ok);
}

TEST(WandbRun, KeepsStepsTimesAndValues) {
  const auto run = read_wandb_run(wandb_file(wandb_records()));
  ASSERT_TRUE(run.ok());
  ASSERT_THAT(run->points, SizeIs(2));
  EXPECT_EQ(run->points[0].step, 0);
  EXPECT_EQ(run->points[0].unix_seconds, 1001.25);
  EXPECT_THAT(run->points[0].values, ElementsAre(Pair("loss", 2.5)));
  EXPECT_EQ(run->points[1].step, 7);
  EXPECT_EQ(run->points[1].unix_seconds, 1002.5);
  EXPECT_EQ(run->points[1].values.at("loss"), 0.1);
  EXPECT_TRUE(std::isnan(run->points[1].values.at("acc")));
  // Only in the summary: a figure of the last step.
  EXPECT_EQ(run->points[1].values.at("best"), 0.1);
}

TEST(WandbRun, NamesNestedValuesWithDotsAndLeavesOutMediaAndTexts) {
  auto records = wandb_records();
  const std::string nested =
      ProtobufMessage().add_bytes(2, "eval").add_bytes(2, "f1").add_bytes(16, "0.5").bytes();
  records.push_back(wandb_part(2, wandb_part(1, nested)));
  records.push_back(wandb_history(9, {{"a", R"({"b": {"c": 1}, "d": true})"},
                                      {"picture", R"({"_type": "image-file", "width": 8})"},
                                      {"words", "\"hello\""},
                                      {"list", "[1, 2]"},
                                      {"broken", "{"}}));
  const auto run = read_wandb_run(wandb_file(records));
  ASSERT_TRUE(run.ok());
  EXPECT_THAT(run->points[2].values, ElementsAre(Pair("eval.f1", 0.5)));
  EXPECT_EQ(run->points[2].unix_seconds, 1002.5);  // that of the point before
  EXPECT_THAT(run->points[3].values,
              ElementsAre(Pair("a.b.c", 1), Pair("a.d", 1), Pair("best", 0.1)));
}

TEST(WandbRun, KeepsFiguresThatBeginWithAnUnderscore) {
  auto records = wandb_records();
  records.push_back(
      wandb_history(9, {{"_loss", "3"}, {"_runtime", "1"}, {"_wandb", "{\"a\": 1}"}}));
  const auto run = read_wandb_run(wandb_file(records));
  ASSERT_TRUE(run.ok());
  EXPECT_THAT(run->points[2].values, ElementsAre(Pair("_loss", 3), Pair("best", 0.1)));
}

TEST(WandbRun, WithoutAnEndItFailed) {
  auto records = wandb_records();
  records.pop_back();
  const auto killed = read_wandb_run(wandb_file(records));
  ASSERT_TRUE(killed.ok());
  EXPECT_EQ(killed->outcome, Outcome::failed);
  EXPECT_THAT(killed->reason, HasSubstr("no end"));
  records.push_back(wandb_part(18, wandb_number(1, 3)));
  const auto failed = read_wandb_run(wandb_file(records));
  EXPECT_EQ(failed->outcome, Outcome::failed);
  EXPECT_EQ(failed->reason, "exit code 3");
}

TEST(WandbRun, SurvivesTimesThatNoCalendarHas) {
  auto records = wandb_records();
  records.insert(records.begin() + 1, wandb_history(0, {{"loss", "1"}, {"_timestamp", "1e300"}}));
  const auto run = read_wandb_run(wandb_file(records));
  ASSERT_TRUE(run.ok());
  EXPECT_EQ(run->points[0].unix_seconds, 1000.5);
}

TEST(WandbRun, RefusesALogWithoutARun) {
  const auto run = read_wandb_run(wandb_file({wandb_history(1, {{"loss", "1"}})}));
  ASSERT_FALSE(run.ok());
  EXPECT_EQ(run.error().message, "a log of W&B without a run");
}

}  // namespace
}  // namespace tacho
