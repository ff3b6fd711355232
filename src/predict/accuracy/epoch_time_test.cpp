#include "predict/accuracy/epoch_time.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;

TrainingSetup resnet50_on(std::string gpu, double gpus, double batch) {
  return {.model = "resnet50",
          .data = "cifar10",
          .gpu = std::move(gpu),
          .gpus = gpus,
          .batch_per_gpu = batch,
          .workers = gpus > 1 ? 16.0 : 4.0,
          .data_split = gpus > 1 ? DataSplit::whole : DataSplit::part,
          .learning_rate = 0.1};
}

const EpochTimeModel& published() {
  static const EpochTimeModel model(published_training_runs());
  return model;
}

double seconds_of(const TrainingSetup& setup) { return published().epoch_seconds(setup)->value; }

TEST(EpochTime, AMeasuredSetupIsAnsweredByItsMedianEpoch) {
  const auto answer = published().epoch_seconds(resnet50_on("V100-SXM2-16GB", 1, 512));
  ASSERT_TRUE(answer.ok());
  EXPECT_NEAR(answer->value, 11.74, 0.01);
  EXPECT_LT(answer->high, 12.1);
}

TEST(EpochTime, FallsWithTheBatchAndTheWorkers) {
  TrainingSetup setup = resnet50_on("V100-SXM2-16GB", 1, 48);
  double before = seconds_of(setup);
  for (const double batch : {64.0, 96.0, 192.0, 256.0, 384.0}) {
    setup.batch_per_gpu = batch;
    const double now = seconds_of(setup);
    EXPECT_LT(now, before) << batch;
    before = now;
  }
  setup.workers = 1;
  EXPECT_GT(seconds_of(setup), before);
}

TEST(EpochTime, RanksThatShareTheDataTakeLessThanRanksThatSeeAll) {
  TrainingSetup setup = resnet50_on("P40", 4, 96);
  const double whole = seconds_of(setup);
  setup.data_split = DataSplit::part;
  EXPECT_LT(seconds_of(setup), 0.5 * whole);
}

TEST(EpochTime, ACardOfAKnownChipIsLessCertainThanAMeasuredOne) {
  const auto width = [](const std::string& gpu) {
    const auto answer = published().epoch_seconds(resnet50_on(gpu, 3, 128));
    return answer->high / answer->low;
  };
  EXPECT_GT(width("V100-PCIE-16GB"), 1.2 * width("V100-PCIE-32GB"));
}

TEST(EpochTime, AbstainsWithoutATrainingOfTheModelTheDataOrTheChip) {
  TrainingSetup setup = resnet50_on("A100-SXM4-40GB", 1, 128);
  EXPECT_THAT(published().epoch_seconds(setup).error().message, HasSubstr("on A100"));
  setup = resnet50_on("P40", 1, 128);
  setup.model = "vgg16";
  EXPECT_THAT(published().epoch_seconds(setup).error().message, HasSubstr("of vgg16"));
  setup = resnet50_on("P40", 1, 128);
  setup.data = "imagenet";
  EXPECT_EQ(published().epoch_seconds(setup).error().code, ErrorCode::unavailable);
}

}  // namespace
}  // namespace tacho
