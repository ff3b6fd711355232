#include "predict/accuracy/evaluate_runs.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

// Bounds are above today's errors, which docs/results/predictions.md lists.
TEST(EvaluateRuns, HeldOutConfigurationsArePredicted) {
  const auto scores = evaluate_training_runs(published_training_runs(), 10, 1);
  ASSERT_EQ(scores.size(), 4U);
  const TrainingRunScore& times = scores[0];
  EXPECT_EQ(times.held_out, "configurations");
  EXPECT_EQ(times.epochs, 5380U);
  EXPECT_LT(times.mean_error, 7.5);
  EXPECT_LT(times.median_share, 0.08);
  EXPECT_GT(times.coverage, 0.86);
  const TrainingRunScore& accuracy = scores[3];
  EXPECT_EQ(accuracy.what, "accuracy");
  EXPECT_LT(accuracy.mean_error, 0.03);
  EXPECT_LT(accuracy.root_mean_square, 0.06);
}

TEST(EvaluateRuns, RandomEpochsAreAsCloseAsTheirScatterAllows) {
  const auto scores = evaluate_training_runs(published_training_runs(), 5, 2);
  EXPECT_LT(scores[1].mean_error, 1.05 * scores[2].mean_error);
  EXPECT_LT(scores[1].root_mean_square, 1.01 * scores[2].root_mean_square);
}

// A gradual difference: hidden epochs differ from known ones, so an error must show.
TEST(EvaluateRuns, SeesThatAHiddenConfigurationIsDifferent) {
  std::vector<TrainingRun> runs = published_training_runs();
  const TrainingSetup changed = runs.front().setup;
  for (TrainingRun& run : runs) {
    if (run.setup != changed) continue;
    for (double& seconds : run.epoch_seconds) seconds *= 50;
  }
  const auto honest = evaluate_training_runs(published_training_runs(), 10, 1);
  const auto damaged = evaluate_training_runs(runs, 10, 1);
  EXPECT_GT(damaged[0].mean_error, honest[0].mean_error + 20);
}

}  // namespace
}  // namespace tacho
