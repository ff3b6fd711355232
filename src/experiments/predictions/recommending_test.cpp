#include "experiments/predictions/recommending.h"

#include <gmock/gmock.h>

#include "experiments/predictions/test_runs.h"

namespace tacho {
namespace {

using testing::Each;
using testing::HasSubstr;
using testing::StartsWith;

class RecommendHere : public StoreTest {
 protected:
  Result<Recommendation> made(const Requirements& requirements, const InstanceFilter& filter) {
    return recommend_here(home_.path(), store_, requirements, filter);
  }
  std::string refusal(const Requirements& requirements, const InstanceFilter& filter = {}) {
    const auto recommendation = made(requirements, filter);
    return recommendation.ok() ? "" : recommendation.error().message;
  }
};

TEST_F(RecommendHere, AnUnknownNameIsAnErrorWithASuggestion) {
  EXPECT_THAT(refusal({.job = {"resnet55", "imagenet"}, .target = 0.7}),
              StartsWith("unknown model 'resnet55'; did you mean 'resnet50'?"));
  EXPECT_THAT(refusal({.job = {"resnet50", "imagenett"}, .target = 0.7}),
              StartsWith("unknown dataset 'imagenett'; did you mean 'imagenet'?"));
  EXPECT_THAT(refusal({.job = {"resnet50", "imagenet"}, .target = 0.7}, {.gpus = {"A1000"}}),
              HasSubstr("unknown GPU 'A1000'"));
  EXPECT_THAT(refusal({.job = {"resnet50", "imagenet"}, .target = 0.7}, {.clouds = {"own"}}),
              HasSubstr("no own machine in the catalog"));
}

TEST_F(RecommendHere, OwnRunsGiveStepsAndEpochsOnThisMachine) {
  for (const std::int64_t batch : {16, 32, 64, 128}) {
    put(record_of({.key = std::to_string(batch), .batch = batch, .top1 = {0.4, 0.5, 0.55, 0.58}}));
  }
  const Instance here{.region = "office",
                      .name = "here",
                      .vcpus = 2,
                      .memory_gib = 32,
                      .on_demand_usd_h = 0.5,
                      .date = "2026-11-18",
                      .source = "own"};
  ASSERT_TRUE(Catalog(home_.path()).add_machine(here).ok());
  const Requirements requirements{.job = {"vgg16", "cifar10"}, .target = 0.5, .batches = {32, 64}};
  const auto recommendation = made(requirements, {.clouds = {"own"}});
  ASSERT_TRUE(recommendation.ok()) << recommendation.error().message;
  EXPECT_EQ(recommendation->epochs_basis, "4 runs here");
  ASSERT_EQ(recommendation->offers.size(), 1U);
  const Offer& offer = recommendation->offers[0];
  EXPECT_EQ(offer.plan.instance.name, "here");
  // All runs reach the target after 20 steps, which are shorter with the smaller batch.
  EXPECT_EQ(offer.plan.batch_per_gpu, 32);
  EXPECT_NEAR(offer.step.seconds.value / true_step(32), 1, 0.2);
  EXPECT_NEAR(offer.hours.value * 3600 / (20 * true_step(32)), 1, 0.25);
  EXPECT_DOUBLE_EQ(offer.dollars.value, 0.5 * offer.hours.value);
  EXPECT_THAT(refusal({.job = requirements.job, .target = 0.99}, {.clouds = {"own"}}),
              StartsWith("no prediction: none of 4 runs of vgg16 on cifar10"));
}

TEST_F(RecommendHere, TheFilterSelectsTheMachines) {
  const Requirements requirements{.job = {"resnet50", "imagenet"},
                                  .target = 0.75,
                                  .precisions = {Precision::bf16},
                                  .batches = {256}};
  const auto recommendation = made(requirements, {.clouds = {"aws"}, .gpus = {"A100"}});
  ASSERT_TRUE(recommendation.ok()) << recommendation.error().message;
  std::vector<std::string> gpus;
  for (const Offer& offer : recommendation->offers) {
    gpus.push_back(offer.plan.instance.gpu);
    EXPECT_EQ(offer.plan.instance.cloud, "aws");
    EXPECT_EQ(offer.plan.batch_per_gpu, 256);
    EXPECT_EQ(offer.plan.precision, Precision::bf16);
  }
  EXPECT_FALSE(gpus.empty());
  EXPECT_THAT(gpus, Each(StartsWith("A100")));
  EXPECT_THAT(recommendation->epochs_basis, HasSubstr("published"));
}

}  // namespace
}  // namespace tacho
