#include "predict/rent/published_steps.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;

class PublishedStepsTest : public testing::Test {
 protected:
  PublishedSteps steps_{published_time_records()};
  Job resnet_{"resnet50", "imagenet"};

  static Plan plan(const std::string& gpu, std::int64_t gpus, std::int64_t nodes,
                   std::int64_t batch) {
    Plan plan{.nodes = nodes, .batch_per_gpu = batch, .precision = Precision::fp16};
    plan.instance.gpu = gpu;
    plan.instance.gpus = gpus;
    return plan;
  }
};

TEST_F(PublishedStepsTest, EightA100sTrainResNetAtTwentyFiveThousandImagesPerSecond) {
  const auto step = steps_.step(resnet_, plan("A100-SXM4-80GB", 8, 1, 408));
  ASSERT_TRUE(step.ok()) << step.error().message;
  EXPECT_NEAR(8 * 408 / step->seconds.value, 25000, 3000);
  EXPECT_LT(step->seconds.low, step->seconds.value);
  EXPECT_GT(step->seconds.high, step->seconds.value);
  EXPECT_FALSE(step->memory_bytes.has_value());
}

TEST_F(PublishedStepsTest, AbstainsOutsideThePublishedRange) {
  const auto why = [&](const Job& job, const Plan& asked) {
    const auto step = steps_.step(job, asked);
    EXPECT_FALSE(step.ok());
    return step.ok() ? "" : step.error().message;
  };
  EXPECT_THAT(why({"vgg16", "imagenet"}, plan("A100-SXM4-80GB", 8, 1, 64)),
              HasSubstr("no published trainings of vgg16 on imagenet"));
  EXPECT_THAT(why(resnet_, plan("K80", 8, 1, 64)), HasSubstr("on K80"));
  EXPECT_THAT(why(resnet_, plan("A100-SXM4-80GB", 8, 1, 4096)), HasSubstr("have batches per GPU"));
  EXPECT_THAT(why(resnet_, plan("A100-SXM4-80GB", 8, 4096, 408)), HasSubstr("at most"));
  Plan full = plan("A100-SXM4-80GB", 8, 1, 408);
  full.precision = Precision::fp32;
  EXPECT_THAT(why(resnet_, full), HasSubstr("mixed precision"));
  Plan volta = plan("V100-SXM2-16GB", 8, 1, 208);
  EXPECT_TRUE(steps_.step(resnet_, volta).ok());
  volta.precision = Precision::bf16;
  EXPECT_THAT(why(resnet_, volta), HasSubstr("mixed precision"));
}

}  // namespace
}  // namespace tacho
