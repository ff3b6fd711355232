#include "predict/accuracy/similar_curves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tacho {
namespace {

using testing::HasSubstr;

TrainingSetup setup_with(double batch, double rate) {
  return {.model = "net",
          .data = "set",
          .gpu = "P40",
          .gpus = 1,
          .batch_per_gpu = batch,
          .workers = 4,
          .learning_rate = rate};
}

// Rises towards a height that falls with the batch.
TrainingRun run_with(double batch, double rate, std::size_t epochs) {
  TrainingRun run{setup_with(batch, rate), 1, 1, {}, {}, "test"};
  for (std::size_t i = 1; i <= epochs; ++i) {
    run.epoch_seconds.push_back(1);
    run.top1.push_back((1 - std::exp(-static_cast<double>(i) / 5)) * (1 - 0.05 * std::log2(batch)));
  }
  return run;
}

std::vector<TrainingRun> some_runs() {
  return {run_with(32, 0.1, 40), run_with(64, 0.1, 40), run_with(128, 0.1, 40),
          run_with(256, 0.1, 20), run_with(512, 0.1, 20)};
}

TEST(SimilarCurves, PredictsBetweenTheNearestTrainings) {
  const std::vector<TrainingRun> runs = some_runs();
  const SimilarCurves curves(runs);
  const std::vector<double> epochs = {5, 20};
  const auto predicted = curves.predict(setup_with(90, 0.1), epochs);
  ASSERT_TRUE(predicted.ok());
  for (std::size_t i = 0; i < epochs.size(); ++i) {
    const auto at = static_cast<std::size_t>(epochs[i]) - 1;
    EXPECT_LT((*predicted)[i].accuracy.value, runs[1].top1[at]);
    EXPECT_GT((*predicted)[i].accuracy.value, runs[2].top1[at]);
    EXPECT_LT((*predicted)[i].accuracy.low, (*predicted)[i].accuracy.value);
  }
}

TEST(SimilarCurves, RanksThatShareTheDataTrainLikeOneWithAllBatches) {
  const std::vector<TrainingRun> runs = some_runs();
  const SimilarCurves curves(runs);
  const std::vector<double> epochs = {10};
  TrainingSetup two = setup_with(48, 0.1);
  two.gpus = 2;
  EXPECT_DOUBLE_EQ(curves.predict(two, epochs)->front().accuracy.value,
                   curves.predict(setup_with(96, 0.1), epochs)->front().accuracy.value);
  two.data_split = DataSplit::whole;
  EXPECT_GT(curves.predict(two, epochs)->front().accuracy.value,
            curves.predict(setup_with(96, 0.1), epochs)->front().accuracy.value);
}

TEST(SimilarCurves, AbstainsFarFromAllTrainings) {
  const std::vector<TrainingRun> runs = some_runs();
  const SimilarCurves curves(runs);
  const auto reason = [&](const TrainingSetup& setup, double epoch) {
    const std::vector<double> epochs = {epoch};
    const auto answer = curves.predict(setup, epochs);
    return answer.ok() ? "" : answer.error().message;
  };
  EXPECT_THAT(reason(setup_with(128, 0.001), 5), HasSubstr("similar batch (128)"));
  EXPECT_THAT(reason(setup_with(8192, 0.1), 5), HasSubstr("similar batch (8192)"));
  EXPECT_THAT(reason(setup_with(128, 0.1), 60), HasSubstr("the longest has 40"));
  EXPECT_EQ(reason(setup_with(128, 0.1), 30), "");
}

TEST(SimilarCurves, TheChanceFallsFromOneToZeroAroundTheBestAccuracy) {
  const std::vector<CurvePrediction> curve = {{1, {0.5, 0.4, 0.6}}, {2, {0.8, 0.7, 0.9}}};
  EXPECT_NEAR(chance_to_reach(0.8, curve), 0.5, 1e-9);
  EXPECT_NEAR(chance_to_reach(0.9, curve), 0.05, 1e-3);
  EXPECT_NEAR(chance_to_reach(0.7, curve), 0.95, 1e-3);
  EXPECT_LT(chance_to_reach(1.2, curve), 1e-6);
}

}  // namespace
}  // namespace tacho
