#include "experiments/study/held_out_prediction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tacho {
namespace {

// `epochs` of ten steps each; all steps take the same time.
RunRecord made_run(std::int64_t batch, double step, const std::vector<double>& accuracy) {
  RunRecord record;
  record.outcome = Outcome::ok;
  record.order.spec.model = "lenet5";
  record.order.spec.data = "fashion-mnist";
  record.order.spec.batch = batch;
  record.order.spec.epochs = static_cast<std::int64_t>(accuracy.size());
  record.input = InputReady{.train_samples = 10 * batch, .eval_samples = 100};
  for (std::size_t i = 0; i < accuracy.size(); ++i) {
    record.steps.seconds.insert(record.steps.seconds.end(), 10, step);
    record.epochs.push_back({.epoch = static_cast<std::int64_t>(i) + 1,
                             .steps = 10,
                             .train_seconds = 10 * step,
                             .top1 = accuracy[i]});
  }
  record.environment_seconds = 10 * step * static_cast<double>(accuracy.size()) + 1;
  return record;
}

// Predicts 10 ms per sample of the batch, with an interval of ± 10 %.
class KnownSpeed final : public RunPredictor {
 public:
  Result<OwnPrediction> run(const RunSpec& spec) const override {
    if (spec.batch == 64) return Error{ErrorCode::unavailable, "not this one"};
    const double step = 0.01 * static_cast<double>(spec.batch);
    return OwnPrediction{.step_seconds = {step, 0.9 * step, 1.1 * step}, .basis = "fixed"};
  }
};

TEST(PredictHeldOut, HoldsOutEveryRunOfAConfiguration) {
  std::vector<JudgedRun> runs;
  for (const std::int64_t batch : {8, 16, 32, 64}) {
    for (int repetition = 0; repetition < 2; ++repetition) {
      runs.push_back({"batch " + std::to_string(batch),
                      made_run(batch, 0.01 * static_cast<double>(batch), {0.5, 0.6})});
    }
  }
  std::size_t calls = 0;
  const auto all = predict_held_out(
      runs, 4,
      [&](const std::vector<const RunRecord*>& known) -> Result<std::unique_ptr<RunPredictor>> {
        ++calls;
        std::set<std::int64_t> batches;
        for (const RunRecord* record : known) batches.insert(record->order.spec.batch);
        EXPECT_EQ(known.size(), 6);
        EXPECT_EQ(batches.size(), 3);
        return std::unique_ptr<RunPredictor>(std::make_unique<KnownSpeed>());
      });
  ASSERT_TRUE(all.ok()) << all.error().message;
  EXPECT_EQ(calls, 4);
  ASSERT_EQ(all->size(), 4);
  EXPECT_NEAR((*all)[1].epoch_seconds->value, 1.6, 1e-9);
  EXPECT_FALSE((*all)[3].epoch_seconds.has_value());
  const PredictionScore score = score_epoch_seconds(*all);
  EXPECT_EQ(score.configurations, 3);
  EXPECT_EQ(score.refused, 1);
  EXPECT_NEAR(score.mape, 0, 1e-9);
  EXPECT_EQ(score.coverage, 1);
  EXPECT_NEAR(*score.repeat_mape, 0, 1e-12);
}

TEST(PredictHeldOut, IgnoresThreadsForAccuracy) {
  std::vector<JudgedRun> runs;
  for (const std::int64_t threads : {1, 2}) {
    for (const std::int64_t batch : {8, 16}) {
      RunRecord record = made_run(batch, 0.1, {0.5, batch == 8 ? 0.7 : 0.6});
      record.order.spec.threads = threads;
      runs.push_back({std::to_string(batch) + " " + std::to_string(threads), std::move(record)});
    }
  }
  const auto all =
      predict_held_out(runs, 4, [](const auto&) -> Result<std::unique_ptr<RunPredictor>> {
        return Error{ErrorCode::unavailable, "no speed"};
      });
  ASSERT_TRUE(all.ok());
  EXPECT_EQ(score_epoch_seconds(*all).refused, 4);
  EXPECT_EQ((*all)[0].accuracy_by_epoch, (std::vector<double>{0.5, 0.7}));
  EXPECT_EQ(score_top1(*all).mae, 0);
  EXPECT_EQ(score_top1(*all).configurations, 4);
}

HeldOutPrediction made_prediction(const RunRecord& run, const std::string& name, double epoch,
                                  std::vector<double> accuracy) {
  HeldOutPrediction one{.configuration = name, .runs = {&run}};
  one.epoch_seconds = Estimate{epoch, 0.9 * epoch, 1.1 * epoch};
  one.top1 = Estimate{accuracy.back(), accuracy.back() - 0.05, accuracy.back() + 0.05};
  one.accuracy_by_epoch = std::move(accuracy);
  return one;
}

TEST(Scores, FollowTheirDefinitions) {
  const RunRecord a = made_run(8, 0.1, {0.7});  // an epoch of 1 s
  const RunRecord b = made_run(8, 0.4, {0.8});  // of 4 s
  const std::vector<HeldOutPrediction> all = {made_prediction(a, "a", 1.2, {0.7}),
                                              made_prediction(b, "b", 4.0, {0.9})};
  const PredictionScore time = score_epoch_seconds(all);
  EXPECT_NEAR(time.mae, 0.1, 1e-9);
  EXPECT_NEAR(time.rmse, 0.2 / std::sqrt(2), 1e-9);
  EXPECT_NEAR(time.mape, 0.1, 1e-9);
  EXPECT_EQ(time.coverage, 0.5);
  EXPECT_FALSE(time.repeat_mae.has_value());
  const PredictionScore accuracy = score_top1(all);
  EXPECT_NEAR(accuracy.mae, 0.05, 1e-9);
  EXPECT_EQ(accuracy.coverage, 0.5);
}

TEST(RankByTimeTo, RegretIsTheCostOfFollowingThePrediction) {
  const RunRecord slow = made_run(8, 0.3, {0.5, 0.8});    // reaches 0.7 after 6 s
  const RunRecord fast = made_run(16, 0.4, {0.75, 0.8});  // after 4 s
  const RunRecord never = made_run(32, 0.1, {0.5, 0.6});
  std::vector<HeldOutPrediction> all = {made_prediction(slow, "slow", 1.5, {0.6, 0.8}),
                                        made_prediction(fast, "fast", 4, {0.75, 0.8}),
                                        made_prediction(never, "never", 0.5, {0.5, 0.6})};
  const auto ranked = rank_by_time_to(0.7, all);
  EXPECT_EQ(ranked[0].prediction->configuration, "slow");
  EXPECT_EQ(ranked[0].predicted_seconds, 3);
  EXPECT_EQ(ranked[2].prediction->configuration, "never");
  EXPECT_FALSE(ranked[2].predicted_seconds.has_value());
  EXPECT_NEAR(*regret_of_first(ranked), 0.5, 1e-9);
  EXPECT_FALSE(regret_of_first(rank_by_time_to(0.95, all)).has_value());
}

}  // namespace
}  // namespace tacho
