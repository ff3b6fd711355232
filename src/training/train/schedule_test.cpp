#include "training/train/schedule.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(Schedule, WarmUpRisesLinearlyToTheRate) {
  const ScheduleSpec schedule{.kind = ScheduleKind::constant, .warmup_epochs = 2};
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 1, 0, 5, 50), 0.1);
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 1, 9, 5, 50), 1);
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 1, 40, 5, 50), 1);
}

TEST(Schedule, CosineStartsAfterTheWarmUp) {
  const ScheduleSpec schedule{.kind = ScheduleKind::cosine, .warmup_epochs = 1};
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 1, 10, 10, 110), 1);
  EXPECT_NEAR(learning_rate_at(schedule, 1, 60, 10, 110), 0.5, 1e-12);
}

// Values of transformers.get_linear_schedule_with_warmup(optimizer, 4, 10).
TEST(Schedule, LinearEqualsHuggingFaces) {
  const ScheduleSpec schedule{.kind = ScheduleKind::linear, .warmup_steps = 4};
  const double expected[] = {0, 0.25, 0.5, 0.75, 1, 5 / 6.0, 4 / 6.0, 0.5, 2 / 6.0, 1 / 6.0};
  for (std::int64_t step = 0; step < 10; ++step) {
    EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 1, step, 5, 10), expected[step]) << step;
  }
  const ScheduleSpec without{.kind = ScheduleKind::linear};
  EXPECT_DOUBLE_EQ(learning_rate_at(without, 2, 0, 5, 10), 2);
  EXPECT_DOUBLE_EQ(learning_rate_at(without, 2, 9, 5, 10), 0.2);
}

// Values of torch.optim.lr_scheduler.MultiStepLR(optimizer, [2, 3], gamma=0.5), stepped per epoch.
TEST(Schedule, MilestonesEqualTorchs) {
  const ScheduleSpec schedule{
      .kind = ScheduleKind::milestones, .step_factor = 0.5, .milestones = {2, 3}};
  const double expected[] = {0.8, 0.8, 0.4, 0.2, 0.2};
  for (std::int64_t step = 0; step < 50; ++step) {
    EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 0.8, step, 10, 50), expected[step / 10]) << step;
  }
}

TEST(Schedule, WarmUpIsCountedInStepsIfAsked) {
  const ScheduleSpec schedule{.kind = ScheduleKind::constant, .warmup_steps = 4};
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 1, 0, 100, 1000), 0.25);
  EXPECT_DOUBLE_EQ(learning_rate_at(schedule, 1, 3, 100, 1000), 1);
  const ScheduleSpec cycle{.kind = ScheduleKind::one_cycle, .warmup_steps = 20};
  EXPECT_DOUBLE_EQ(learning_rate_at(cycle, 1, 19, 100, 1000), 1);
}

TEST(Schedule, AShortRunNeverDividesByZero) {
  for (const ScheduleKind kind :
       {ScheduleKind::constant, ScheduleKind::step, ScheduleKind::cosine, ScheduleKind::one_cycle,
        ScheduleKind::linear, ScheduleKind::milestones}) {
    for (std::int64_t total = 1; total <= 4; ++total) {
      for (std::int64_t step = 0; step < total; ++step) {
        const double rate = learning_rate_at({.kind = kind}, 1, step, 1, total);
        EXPECT_TRUE(rate >= 0 && rate <= 1) << kSchedules.of(kind) << " " << step << "/" << total;
      }
    }
  }
}

}  // namespace
}  // namespace tacho
