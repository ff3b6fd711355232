#include "tracing/report/run_time.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

std::vector<double> seconds_of(const std::vector<TimePart>& parts) {
  std::vector<double> seconds;
  for (const TimePart& part : parts) seconds.push_back(part.seconds);
  return seconds;
}

TEST(RunTime, OfAProgramIsThatBeforeWithinAndAfterItsSteps) {
  RunRecord record;
  EXPECT_TRUE(run_time_of(record).empty());
  record.environment_exited =
      EnvironmentExited{.began = 99, .entered = 100, .ended = 150, .left = 151};
  record.found_steps =
      StepsFound{.steps = 300, .period_s = 0.1, .began_at = 104, .ended_at = 148, .paused_s = 14};
  const auto parts = run_time_of(record);
  EXPECT_EQ(seconds_of(parts), (std::vector<double>{4, 30, 14, 2}));
  EXPECT_DOUBLE_EQ(parts[1].share, 0.6);
}

TEST(RunTime, OfATrainingIsThatOfItsEpochs) {
  RunRecord record;
  record.startup_seconds = 1;
  record.epochs = {{.epoch = 1, .train_seconds = 5, .eval_seconds = 1},
                   {.epoch = 2, .train_seconds = 4, .eval_seconds = 1}};
  record.totals.wall_seconds = 13;
  EXPECT_EQ(seconds_of(run_time_of(record)), (std::vector<double>{1, 9, 2, 1}));
}

TEST(RunTime, IsUnknownWithoutTheTimesOfSteps) {
  RunRecord record;
  record.environment_exited = EnvironmentExited{.began = 99, .left = 151};
  record.found_steps = StepsFound{.steps = 300, .period_s = 0.1};
  EXPECT_TRUE(run_time_of(record).empty());
}

}  // namespace
}  // namespace tacho
