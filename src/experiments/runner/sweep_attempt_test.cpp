#include "experiments/runner/sweep_attempt.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

SweepTask task_of(const RunOrder& asked) {
  SweepTask task;
  task.run_key = "k1";
  task.asked = asked;
  return task;
}

SweepCounts counts_of(std::int64_t done, std::int64_t submitted, double run_seconds) {
  SweepCounts counts;
  counts.states[SweepTaskState::done] = done;
  counts.states[SweepTaskState::submitted] = submitted;
  counts.run_seconds = run_seconds;
  return counts;
}

TEST(SweepAttempt, NeedsACoreForEachThreadOfEachRank) {
  RunOrder order;
  order.spec.threads = 3;
  order.spec.dist.ranks_per_node = 2;
  EXPECT_EQ(needs_of(task_of(order), {}).cores, 6);
  EXPECT_EQ(needs_of(task_of(order), {}).gpus, 0);
  order.spec.device = Device::cuda;
  EXPECT_EQ(needs_of(task_of(order), {}).gpus, 2);
  SweepSettings settings;
  settings.needs.cores = 1.5;
  settings.limits.memory = Bytes{1 << 20};
  EXPECT_EQ(needs_of(task_of(order), settings).cores, 1.5);
  EXPECT_EQ(needs_of(task_of(order), settings).memory_bytes, 1 << 20);
}

TEST(SweepAttempt, TheConfigurationsLimitTakesPrecedence) {
  SweepSettings settings;
  settings.limits.time = Seconds(60);
  RunOrder order;
  EXPECT_EQ(order_of(task_of(order), settings).time_limit_s, 60);
  EXPECT_EQ(order_of(task_of(order), settings).key, "k1");
  order.time_limit_s = 5;
  EXPECT_EQ(order_of(task_of(order), settings).time_limit_s, 5);
}

TEST(SweepAttempt, ABudgetCountsWhatIsSubmitted) {
  SweepBudget budget;
  EXPECT_GT(runs_left(budget, counts_of(3, 2, 30)), 1'000'000);
  budget.runs = 10;
  EXPECT_EQ(runs_left(budget, counts_of(3, 2, 30)), 5);
  budget.hours = 0.01;  // 36 s; a run takes 10 s, so one more may begin
  EXPECT_EQ(runs_left(budget, counts_of(3, 0, 30)), 1);
  EXPECT_EQ(runs_left(budget, counts_of(4, 0, 40)), 0);
  EXPECT_EQ(runs_left(budget, counts_of(0, 3, 0)), 5);  // of eight until the first has ended
}

}  // namespace
}  // namespace tacho
