#include "predict/rent/input_limit.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

class TenMilliseconds final : public StepPredictor {
 public:
  Result<StepPrediction> step(const Job&, const Plan&) const override {
    StepPrediction step;
    step.seconds = {0.01, 0.009, 0.011};
    return step;
  }
};

Plan plan_of(double vcpus) {
  Plan plan;
  plan.instance.gpu = "H100";
  plan.instance.gpus = 1;
  plan.instance.vcpus = vcpus;
  plan.batch_per_gpu = 100;
  return plan;
}

TEST(InputLimit, OneProcessorPreparesSomeHundredImagesPerSecond) {
  ASSERT_TRUE(input_rate("imagenet"));
  EXPECT_GT(*input_rate("imagenet"), 150);
  EXPECT_LT(*input_rate("imagenet"), 500);
  EXPECT_FALSE(input_rate("cifar10"));
}

TEST(InputLimit, AStepIsNoShorterThanPreparingItsBatch) {
  const InputLimited limited(std::make_unique<TenMilliseconds>());
  const Job pictures{"resnet50", "imagenet"};
  const double rate = *input_rate("imagenet");
  const auto starved = limited.step(pictures, plan_of(2));
  EXPECT_DOUBLE_EQ(starved->seconds.value, 100 / (2 * rate));
  EXPECT_NEAR(starved->input_share, 1 - 0.01 / starved->seconds.value, 1e-12);
  EXPECT_LT(starved->seconds.low, starved->seconds.value);
  EXPECT_GT(starved->seconds.high, starved->seconds.value);

  const auto fed = limited.step(pictures, plan_of(1000));
  EXPECT_EQ(fed->seconds.value, 0.01);
  EXPECT_EQ(fed->input_share, 0);
  EXPECT_EQ(limited.step({"resnet18", "cifar10"}, plan_of(1))->seconds.value, 0.01);
}

TEST(InputLimit, ASmallBatchDoesNotHideTheInputLimit) {
  const InputLimited limited(std::make_unique<TenMilliseconds>());
  Plan small = plan_of(2);
  small.batch_per_gpu = 10;
  const auto both = limited.steps({"resnet50", "imagenet"}, {small, plan_of(2)});
  // Both reach the rate of two processors, of the 10,000 samples per second of the GPU.
  const double waits = 1 - 2 * *input_rate("imagenet") / 10000;
  EXPECT_NEAR(both[0]->input_share, waits, 1e-12);
  EXPECT_NEAR(both[1]->input_share, waits, 1e-12);
}

}  // namespace
}  // namespace tacho
