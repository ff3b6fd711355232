#include "cli/sweep_live.h"

#include <gtest/gtest.h>

#include "core/store/test_runs.h"

namespace tacho {
namespace {

SweepProgress some_progress() {
  SweepProgress progress;
  progress.counts.states = {{SweepTaskState::done, 12},
                            {SweepTaskState::waiting, 23},
                            {SweepTaskState::submitted, 2},
                            {SweepTaskState::skipped, 3}};
  progress.counts.outcomes = {{Outcome::ok, 10}, {Outcome::failed, 1}, {Outcome::out_of_memory, 1}};
  progress.running = 2;
  progress.seconds_left = 192;
  return progress;
}

TEST(SweepProgress, ShowsCountsAndTimeLeft) {
  EXPECT_EQ(progress_text(some_progress()),
            "12 of 40 done, 2 running, 1 out of memory, 1 failed, 3 skipped, 3:12 left");
}

TEST(SweepProgress, OmitsUnknownTimeLeft) {
  SweepProgress progress = some_progress();
  progress.counts.outcomes.clear();
  progress.seconds_left = -1;
  EXPECT_EQ(progress_text(progress), "12 of 40 done, 2 running, 3 skipped");
}

TEST(BestRun, UsesAccuracyByDefault) {
  BestRun best(nullptr);
  EXPECT_EQ(best.text(), "");
  best.add("batch=32", finished_run("a", 0.75));
  best.add("batch=64", finished_run("b", 0.5));
  EXPECT_EQ(best.text(), "best top-1 75.0 % (batch=32)");
}

TEST(BestRun, UsesTheRequestedMetric) {
  BestRun best(&metric::kStepS);
  best.add("slow", finished_run("a"));
  RunRecord quick = finished_run("b");
  for (double& seconds : quick.steps.seconds) seconds /= 2;
  best.add("quick", quick);
  EXPECT_NE(best.text().find("(quick)"), std::string::npos) << best.text();
}

TEST(BestRun, IgnoresFailedRuns) {
  BestRun best(nullptr);
  RunRecord failed = finished_run("a", 0.99);
  failed.outcome = Outcome::failed;
  best.add("failed", failed);
  EXPECT_EQ(best.text(), "");
}

}  // namespace
}  // namespace tacho
