#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "predict/accuracy/batch_law.h"
#include "predict/accuracy/curve_catalog.h"
#include "predict/accuracy/epochs_to_target.h"
#include "predict/accuracy/evaluate_times.h"
#include "predict/accuracy/job_rate.h"

namespace tacho {
namespace {

using testing::HasSubstr;

TEST(BatchLaw, RecoversTheNoiseScale) {
  std::vector<BatchPoint> points;
  for (double batch = 64; batch < 1e5; batch *= 2) {
    points.push_back({batch, 30 * (1 + batch / 8000), "a"});
    points.push_back({batch, 45 * (1 + batch / 8000), "b"});
  }
  points.push_back({4096, 300, "a"});  // an outlier
  const BatchLaw law = BatchLaw::fit(points);
  EXPECT_NEAR(law.noise_scale(), 8000, 1500);
  EXPECT_NEAR(law.epochs(1000, "a").value, 33.75, 1.5);
  EXPECT_NEAR(law.epochs(16000, "b").value, 135, 8);
}

TEST(BatchLaw, ALargerBatchNeverNeedsFewerEpochs) {
  const std::array<BatchPoint, 2> points = {{{128, 20, "a"}, {1024, 15, "a"}}};
  const BatchLaw law = BatchLaw::fit(points);
  double before = 0;
  for (double batch = 1; batch < 1e6; batch *= 3) {
    const Estimate epochs = law.epochs(batch, "a");
    EXPECT_GT(epochs.value, before);
    EXPECT_LT(epochs.low, epochs.value);
    EXPECT_GT(epochs.high, epochs.value);
    before = epochs.value;
  }
}

TEST(BatchLaw, OnePointIsMostCertainAtItsBatch) {
  const std::array<BatchPoint, 1> points = {{{128, 20, "a"}}};
  const BatchLaw law = BatchLaw::fit(points);
  const auto width = [&](double batch) {
    const Estimate range = law.epochs(batch, "a");
    return range.high / range.low;
  };
  EXPECT_NEAR(law.epochs(128, "a").value, 20, 0.5);
  EXPECT_LT(width(128), width(1024));
  EXPECT_LT(width(1024), width(16384));
}

TEST(Times, ArePredictedForHeldOutSystemsAndBatchSizes) {
  for (const TimeScore& score : evaluate_times(published_time_records())) {
    EXPECT_LT(score.median_error, 0.15) << score.task << ", " << score.split;
    EXPECT_GE(score.coverage, 0.84) << score.task << ", " << score.split;
    EXPECT_LE(score.coverage, 0.97) << score.task << ", " << score.split;
  }
}

TEST(JobRate, AbstainsForAnUnknownGpu) {
  const auto records = published_time_records();
  std::vector<TimeRecord> resnet;
  for (const TimeRecord& record : records) {
    if (record.model == "resnet50" && record.batch) resnet.push_back(record);
  }
  const TimeModel model = TimeModel::fit(resnet);
  const auto one = model.at({"A100-SXM4-80GB", 8, 1, 3264, "mlperf-late"});
  ASSERT_TRUE(one.ok());
  EXPECT_NEAR(one->hours.value, 0.48, 0.08);
  EXPECT_THAT(model.at({"T4", 8, 1, 3264, "mlperf-late"}).error().message,
              HasSubstr("no prediction: no published trainings on T4"));
}

class EpochsToTargetTest : public testing::Test {
 protected:
  static std::vector<Curve> shipped() {
    std::vector<Curve> all = published_curves();
    for (Curve& result : published_results()) all.push_back(std::move(result));
    return all;
  }
  EpochsToTarget published_{{.shipped = shipped(), .records = published_time_records()}};

  static Curve own(double batch, double speed) {
    Curve curve;
    curve.setting = {.model = "net",
                     .data = "set",
                     .recipe = "sgd",
                     .system = "own",
                     .batch = batch,
                     .learning_rate = 0.02,
                     .epoch_samples = 10000,
                     .planned_epochs = 20};
    for (int i = 1; i <= 20; ++i) {
      curve.epochs.push_back(i);
      curve.accuracy.push_back(0.9 * (1 - 0.6 * std::exp(-speed * (i - 1))));
    }
    return curve;
  }
};

TEST_F(EpochsToTargetTest, PublishedResNetsPredictAnyBatchAndTarget) {
  const auto needed = [&](double target, double batch) {
    const auto answer = published_.needed({"resnet50", "imagenet", target, batch});
    EXPECT_TRUE(answer.ok()) << answer.error().message;
    return answer->epochs;
  };
  EXPECT_NEAR(needed(0.759, 3264).value, 36, 3);
  EXPECT_NEAR(needed(0.759, 57344).value, 77, 8);
  EXPECT_LT(needed(0.75, 3264).value, needed(0.759, 3264).value);
  EXPECT_GT(needed(0.772, 3264).value, needed(0.759, 3264).value);
  EXPECT_LT(needed(0.75, 3264).high / needed(0.75, 3264).low, 2);
}

TEST_F(EpochsToTargetTest, AbstainsWithReasons) {
  const auto message = [&](const EpochsQuestion& question) {
    const auto answer = published_.needed(question);
    EXPECT_FALSE(answer.ok());
    return answer.ok() ? "" : answer.error().message;
  };
  EXPECT_THAT(message({"resnet50", "imagenet", 0.85, 256}),
              HasSubstr("have targets from 0.738 to 0.784"));
  EXPECT_THAT(message({"alexnet", "imagenet", 0.6, 256}),
              HasSubstr("no known training of alexnet on imagenet reaches 0.6; the best reached "
                        "0.5655"));
  EXPECT_THAT(message({"alexnet", "nothing", 0.5, 256}),
              HasSubstr("no training of any model on nothing is known; train it for a few epochs "
                        "and ask again: tacho train alexnet --data nothing -e 3"));
  EXPECT_THAT(message({"resnet50", "imagenet", 75, 256}), HasSubstr("between 0 and 1"));
}

TEST_F(EpochsToTargetTest, OwnRunsComeFirst) {
  const EpochsToTarget own_runs({.own = {own(64, 0.4), own(128, 0.3)}, .shipped = {}});
  const auto answer = own_runs.needed({"net", "set", 0.8, 64});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  // 0.9 (1 − 0.6 exp(−0.4 (x − 1))) = 0.8
  EXPECT_NEAR(answer->epochs.value, 1 + std::log(0.6 / (1 - 0.8 / 0.9)) / 0.4, 0.7);
  EXPECT_EQ(answer->epochs.low, std::floor(answer->epochs.low)) << "evaluations end epochs";
  EXPECT_EQ(answer->basis, "2 runs here");
  EXPECT_EQ(answer->epoch_samples, 10000);
  const auto never = own_runs.needed({"net", "set", 0.95, 64});
  EXPECT_THAT(never.error().message,
              HasSubstr("none of 2 runs of net on set is predicted to reach 0.95"));
}

TEST_F(EpochsToTargetTest, ShippedCurvesOfThePairComeBeforeThoseOfOtherModels) {
  Curve shipped = own(64, 0.4);
  shipped.own = true;
  Curve other = own(64, 0.1);
  other.setting.model = "other";
  const EpochsToTarget known({.own = {}, .shipped = {shipped, other}});
  const auto answer = known.needed({"net", "set", 0.8, 64});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_EQ(answer->basis, "1 run shipped with Tacho");
  EXPECT_NEAR(answer->epochs.value, *crossing(shipped, 0.8), 0.2);
  EXPECT_THAT(known.needed({"net", "set", 0.95, 64}).error().message,
              HasSubstr("no known training of net on set reaches 0.95"));
}

TEST_F(EpochsToTargetTest, APublishedResultIsReachedEarlierIfLessIsWanted) {
  const auto most = published_.needed({"alexnet", "imagenet", 0.565, 256});
  const auto less = published_.needed({"alexnet", "imagenet", 0.45, 256});
  ASSERT_TRUE(most.ok() && less.ok());
  EXPECT_EQ(most->basis, "1 published training");
  EXPECT_NEAR(most->epochs.value, 90, 10);
  EXPECT_LT(less->epochs.value, 0.8 * most->epochs.value);
}

TEST_F(EpochsToTargetTest, NamesTheUsualTarget) {
  Curve shipped = own(64, 0.4);  // ends at 0.8997
  shipped.own = true;
  const EpochsToTarget known({.own = {}, .shipped = {shipped}});
  const auto usual = known.usual_target("net", "set");
  ASSERT_TRUE(usual.ok());
  EXPECT_EQ(usual->value, 0.89);
  EXPECT_EQ(usual->basis, "1 run shipped with Tacho of this pair reached it");
  EXPECT_TRUE(known.needed({"net", "set", usual->value, 64}).ok());
  EXPECT_EQ(published_.usual_target("resnet50", "imagenet")->value, 0.75);
  EXPECT_FALSE(known.usual_target("net", "nothing").ok());
}

TEST_F(EpochsToTargetTest, ALossIsATargetWhereTheCurvesHaveIt) {
  Curve curve = own(64, 0.4);
  for (const double epoch : curve.epochs) curve.loss.push_back(0.2 + 1 / epoch);
  const EpochsToTarget known({.own = {curve}, .shipped = {}}, TargetMetric::loss);
  const auto answer = known.needed({"net", "set", 0.4, 64});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  EXPECT_NEAR(answer->epochs.value, 5, 0.7);
  EXPECT_THAT(known.needed({"net", "set", 0.01, 64}).error().message,
              HasSubstr("reach a loss of 0.01; the best so far reached a loss of 0.25"));
  EXPECT_THAT(EpochsToTarget({.own = {own(64, 0.4)}, .shipped = {}}, TargetMetric::loss)
                  .needed({"net", "set", 0.4, 64})
                  .error()
                  .message,
              HasSubstr("no losses of trainings on set are known; give an accuracy"));
}

}  // namespace
}  // namespace tacho
