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
  EpochsToTarget published_{{}, published_curves(), published_time_records()};

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
  EXPECT_THAT(message({"alexnet", "imagenet", 0.5, 256}), HasSubstr("no trainings of alexnet"));
  EXPECT_THAT(message({"resnet50", "imagenet", 75, 256}), HasSubstr("between 0 and 1"));
}

TEST_F(EpochsToTargetTest, OwnRunsComeFirst) {
  const EpochsToTarget own_runs({own(64, 0.4), own(128, 0.3)}, {}, {});
  const auto answer = own_runs.needed({"net", "set", 0.8, 64});
  ASSERT_TRUE(answer.ok()) << answer.error().message;
  // 0.9 (1 − 0.6 exp(−0.4 (x − 1))) = 0.8
  EXPECT_NEAR(answer->epochs.value, 1 + std::log(0.6 / (1 - 0.8 / 0.9)) / 0.4, 0.7);
  EXPECT_EQ(answer->basis, "2 runs here");
  EXPECT_EQ(answer->epoch_samples, 10000);
  const auto never = own_runs.needed({"net", "set", 0.95, 64});
  EXPECT_THAT(never.error().message,
              HasSubstr("none of 2 runs of net on set is predicted to reach 0.95"));
}

}  // namespace
}  // namespace tacho
