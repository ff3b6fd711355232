#include "tracing/listen/printed_steps.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

StepNumber at_step(std::int64_t step) { return {"step", step, true}; }

TEST(PrintedSteps, HaveTheMedianTimeOverSteps) {
  PrintedSteps steps;
  double at = 1;
  for (int step = 0; step <= 100; step += 10) {
    steps.add(Seconds(at), at_step(step));
    at += step == 50 ? 9.0 : 0.5;  // an evaluation
  }
  const auto found = steps.find();
  ASSERT_TRUE(found);
  EXPECT_EQ(found->steps, 100);
  EXPECT_NEAR(found->period_s, 0.05, 1e-9);
  EXPECT_NEAR(found->p25_s, 0.05, 1e-9);
  EXPECT_NEAR(found->p75_s, 0.05, 1e-9);
  EXPECT_TRUE(found->printed);
  EXPECT_DOUBLE_EQ(found->began_at, 1);
  EXPECT_DOUBLE_EQ(found->ended_at, 14.5);
  EXPECT_NEAR(found->paused_s, 8.5, 1e-9);
}

TEST(PrintedSteps, OfABufferedProgramCountPerBlock) {
  PrintedSteps steps;
  for (int step = 1; step <= 6000; ++step) {
    // 300 lines arrive when the last of them was printed.
    steps.add(Seconds(0.01 * 300 * ((step + 299) / 300)), at_step(step));
  }
  ASSERT_TRUE(steps.find());
  EXPECT_NEAR(steps.find()->period_s, 0.01, 1e-9);
}

TEST(PrintedSteps, BeginAgainInEveryEpoch) {
  PrintedSteps steps;
  double at = 0;
  for (int epoch = 0; epoch < 3; ++epoch) {
    for (int step = 0; step < 20; ++step) steps.add(Seconds(at += 0.1), at_step(step));
    at += 5;  // an evaluation
  }
  ASSERT_TRUE(steps.find());
  EXPECT_EQ(steps.find()->steps, 3 * 19);
  EXPECT_NEAR(steps.find()->p75_s, 0.1, 1e-9);
  EXPECT_NEAR(steps.find()->paused_s, 2 * 5.1, 1e-9);
}

TEST(PrintedSteps, OfSeveralRanksAreCountedOnce) {
  PrintedSteps steps;
  for (int step = 10; step <= 60; ++step) {
    steps.add(Seconds(0.1 * step), at_step(step));
    steps.add(Seconds(0.1 * step), at_step(step - 1));  // of a slower rank
  }
  ASSERT_TRUE(steps.find());
  EXPECT_EQ(steps.find()->steps, 50);
  EXPECT_NEAR(steps.find()->period_s, 0.1, 1e-9);
}

TEST(PrintedSteps, AreThoseOfTheLongestSeries) {
  PrintedSteps steps;
  for (int i = 0; i < 20; ++i) {
    steps.add(Seconds(i), at_step(i));
    for (int j = 0; j < 10; ++j) steps.add(Seconds(i + 0.01 * j), {"evaluation", j});
  }
  ASSERT_TRUE(steps.find());
  EXPECT_NEAR(steps.find()->period_s, 1, 1e-9);
}

TEST(PrintedSteps, NeedSeveralIntervals) {
  PrintedSteps steps;
  for (int i = 0; i < 5; ++i) steps.add(Seconds(i), at_step(i));
  EXPECT_FALSE(steps.find());
  steps.add(Seconds(5), at_step(5));
  EXPECT_TRUE(steps.find());
  PrintedSteps at_once;
  for (int i = 0; i < 500; ++i) at_once.add(Seconds(1), at_step(i));
  EXPECT_FALSE(at_once.find());
}

TEST(PrintedSteps, OfALongRunAreBounded) {
  PrintedSteps steps;
  for (int i = 0; i < 100'000; ++i) steps.add(Seconds(i * 0.25), at_step(i));
  for (int i = 0; i < 100'000; ++i) steps.add(Seconds(i), {std::to_string(i), 1});
  ASSERT_TRUE(steps.find());
  EXPECT_EQ(steps.find()->steps, 99'999);
  EXPECT_NEAR(steps.find()->period_s, 0.25, 1e-9);
}

}  // namespace
}  // namespace tacho
