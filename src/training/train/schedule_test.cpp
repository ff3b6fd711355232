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

TEST(Schedule, AShortRunNeverDividesByZero) {
  for (const ScheduleKind kind : {ScheduleKind::constant, ScheduleKind::step, ScheduleKind::cosine,
                                  ScheduleKind::one_cycle}) {
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
