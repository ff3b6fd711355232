#include "experiments/predictions/step_predictors.h"

#include <gmock/gmock.h>

#include "experiments/predictions/test_runs.h"

namespace tacho {
namespace {

using testing::HasSubstr;

using StepPredictorsTest = StoreTest;

TEST_F(StepPredictorsTest, OwnRunsPredictThisMachineAndTheSpeedModelOthers) {
  put_batches({16, 32, 128, 256});
  const auto steps = open_step_predictors(store_);
  ASSERT_TRUE(steps.ok()) << steps.error().message;
  Plan here{.instance = {.cloud = "own", .name = "here", .vcpus = 2, .memory_gib = 32},
            .batch_per_gpu = 64,
            .workers = 1};
  const Plan rented{.instance = {.cloud = "aws", .gpu = "A100-SXM4-80GB", .gpus = 1, .vcpus = 12},
                    .batch_per_gpu = 64,
                    .workers = 11,
                    .precision = Precision::fp16};
  Plan on_another_cpu = here;
  on_another_cpu.instance.name = "tower";

  const auto own = (*steps)->step({"vgg16", "cifar10"}, here);
  ASSERT_TRUE(own.ok()) << own.error().message;
  EXPECT_NEAR(own->seconds.value / true_step(64), 1, 0.2);
  EXPECT_TRUE(own->fits);
  Plan four_of_them = here;
  four_of_them.nodes = 4;
  EXPECT_THAT((*steps)->step({"vgg16", "cifar10"}, four_of_them).error().message,
              HasSubstr("several of them"));
  here.instance.memory_gib = 0.25;
  EXPECT_FALSE((*steps)->step({"vgg16", "cifar10"}, here)->fits);

  const auto modelled = (*steps)->step({"resnet50", "imagenet"}, rented);
  ASSERT_TRUE(modelled.ok()) << modelled.error().message;
  EXPECT_LT(modelled->seconds.value, 1);
  EXPECT_THAT((*steps)->step({"vgg16", "cifar10"}, on_another_cpu).error().message,
              HasSubstr("the CPU of the machine is not in the catalog"));
}

}  // namespace
}  // namespace tacho
