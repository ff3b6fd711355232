#include "predict/rent/total_time.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

// Two seconds of start-up, half a second per evaluation, and steps 10 % longer than their median.
TimeSpent run_of(double step_seconds, double steps, double epochs) {
  const double train = 1.1 * steps * step_seconds;
  return {steps, step_seconds, epochs, train, 0.5 * epochs, 2 + 0.5 * epochs + train};
}

TEST(TotalTime, IsStartUpEvaluationsAndSteps) {
  const std::vector<TimeSpent> past = {run_of(0.01, 100, 2), run_of(0.02, 300, 4)};
  const Estimate total = total_time(past, {0.05, 0.04, 0.07}, 1000, 10);
  EXPECT_NEAR(total.value, 2 + 5 + 55, 1e-9);
  EXPECT_LT(total.low, 2 + 5 + 44);
  EXPECT_GT(total.high, 2 + 5 + 77);
}

TEST(TotalTime, OfAShortRunIsMostlyStartUp) {
  const std::vector<TimeSpent> past(6, run_of(0.01, 100, 2));
  const Estimate total = total_time(past, {0.001, 0.0005, 0.002}, 10, 1);
  EXPECT_NEAR(total.value, 2.511, 1e-9);
  EXPECT_LT(total.high / total.low, 1.2);
}

TEST(TotalTime, IsUnknownForARunWithoutSteps) {
  RunRecord record;
  record.outcome = Outcome::ok;
  EXPECT_FALSE(time_spent(record));
  record.steps.seconds = {0.5, 0.5};
  record.steps.input_seconds = {0, 0};
  EpochDone epoch;
  epoch.train_seconds = 1;
  epoch.eval_seconds = 0.5;
  record.epochs = {epoch};
  record.environment_seconds = 2;
  ASSERT_TRUE(time_spent(record));
  RunRecord resumed = record;
  resumed.started = RunStarted{};
  resumed.started->attempt = 2;
  EXPECT_FALSE(time_spent(resumed));
  EXPECT_EQ(time_spent(record)->steps, 2);
  EXPECT_EQ(time_spent(record)->total_seconds, 2);
  record.outcome = Outcome::failed;
  EXPECT_FALSE(time_spent(record));
}

}  // namespace
}  // namespace tacho
