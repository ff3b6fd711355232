#include "experiments/predictions/predicted_steps.h"

#include <gmock/gmock.h>

#include "core/record/classifier_catalog.h"
#include "experiments/predictions/own_runs_here.h"
#include "experiments/predictions/speed_model_files.h"
#include "experiments/predictions/test_runs.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class PredictedStepsTest : public HomeTest {
 protected:
  static Plan plan_on(const std::string& gpu, std::int64_t gpus, std::int64_t batch,
                      Precision precision = Precision::fp16) {
    return {.instance = {.cloud = "aws", .gpu = gpu, .gpus = gpus},
            .batch_per_gpu = batch,
            .precision = precision};
  }
  // Opened once: reading the model takes a moment.
  static const PredictedSteps& steps() {
    static const PredictedSteps opened(*open_predictor(std::nullopt), *shipped_cpu_speed_model(),
                                       *shipped_cpus());
    return opened;
  }
  static std::string reason(const Job& job, const Plan& plan) {
    const auto step = steps().step(job, plan);
    if (step.ok()) return "";
    EXPECT_EQ(step.error().code, ErrorCode::unavailable);
    return step.error().message;
  }

  const Job job_{"resnet50", "imagenet"};
};

TEST_F(PredictedStepsTest, AbstainsOutsideTheSpeedModel) {
  EXPECT_EQ(reason(job_, plan_on("", 0, 64)),
            "no prediction: the CPU of the machine is not in the catalog of CPUs");
  EXPECT_EQ(reason(job_, plan_on("Made Up", 1, 64)),
            "no prediction: Made Up is not in the catalog of GPUs");
  EXPECT_EQ(reason(job_, plan_on("T4", 1, 64, Precision::bf16)),
            "no prediction: T4 does not support bf16");
  EXPECT_EQ(reason(job_, plan_on("V100-SXM2-16GB", 1, 64, Precision::tf32)),
            "no prediction: V100-SXM2-16GB does not support tf32");
  EXPECT_THAT(reason({"no-such-model", "imagenet"}, plan_on("A100-SXM4-80GB", 1, 64)),
              HasSubstr("unknown model 'no-such-model'"));
}

TEST_F(PredictedStepsTest, PredictsTheStepOfAllGpus) {
  const auto one = steps().step(job_, plan_on("A100-SXM4-80GB", 1, 64));
  const auto eight = steps().step(job_, plan_on("A100-SXM4-80GB", 8, 64));
  ASSERT_TRUE(one.ok() && eight.ok());
  // Published figures are between 1,000 and 3,000 images per second.
  EXPECT_GT(64 / one->seconds.value, 500);
  EXPECT_LT(64 / one->seconds.value, 6000);
  EXPECT_LT(one->seconds.low, one->seconds.value);
  EXPECT_GT(one->seconds.high, one->seconds.value);
  EXPECT_EQ(one->comm_share, 0);
  EXPECT_GT(eight->comm_share, 0);
  // Each GPU computes its own batch; only the exchange is added.
  EXPECT_GT(eight->seconds.value, one->seconds.value);
  EXPECT_LT(eight->seconds.value, 2 * one->seconds.value);
}

// The same question has the same answer everywhere.
TEST_F(PredictedStepsTest, EqualsThePredictionOfTheSameJob) {
  const auto predictor = open_predictor(std::nullopt);
  ASSERT_TRUE(predictor.ok());
  const GpuCatalog& gpus = predictor->gpus();
  for (const ModelInfo& model : classifier_catalog()) {
    for (const char* gpu : {"T4", "V100-SXM2-16GB", "A100-SXM4-80GB", "H100-SXM5-80GB"}) {
      ASSERT_TRUE(gpus.find(gpu).ok());
      const TrainingJob job{
          .model = std::string(model.name), .precision = "fp16", .gpu = gpu, .batch_per_gpu = 128};
      const auto predicted = predictor->predict(std::span(&job, 1), 1);
      const auto step = steps().step({std::string(model.name), "synthetic"},
                                     plan_on(gpu, 1, 128, Precision::fp16));
      ASSERT_TRUE(predicted.ok() && step.ok()) << model.name << " on " << gpu;
      EXPECT_NEAR(step->seconds.value / predicted->front()->step_seconds, 1, 1e-9)
          << model.name << " on " << gpu;
    }
  }
}

TEST_F(PredictedStepsTest, PredictsMachinesWithoutAGpu) {
  Plan rented = plan_on("", 0, 64, Precision::fp32);
  rented.instance.name = "c7i.xlarge";
  rented.instance.vcpus = 4;
  rented.instance.memory_gib = 8;
  const auto step = steps().step({"lenet5", "mnist"}, rented);
  ASSERT_TRUE(step.ok()) << step.error().message;
  EXPECT_GT(step->seconds.low, 1e-5);
  EXPECT_LT(step->seconds.high, 1);
  EXPECT_GT(step->seconds.high, 1.2 * step->seconds.value);
  EXPECT_TRUE(step->fits);
  rented.instance.memory_gib = 0.1;
  EXPECT_FALSE(steps().step({"lenet5", "mnist"}, rented)->fits);
  rented.nodes = 2;
  EXPECT_THAT(reason({"lenet5", "mnist"}, rented), HasSubstr("several machines"));
}

TEST_F(PredictedStepsTest, ALargeBatchDoesNotFit) {
  const auto small = steps().step(job_, plan_on("V100-SXM2-16GB", 1, 64));
  const auto large = steps().step(job_, plan_on("V100-SXM2-16GB", 1, 1024));
  ASSERT_TRUE(small.ok() && large.ok());
  EXPECT_TRUE(small->fits);
  EXPECT_FALSE(large->fits);
  EXPECT_GT(*large->memory_bytes, 16e9);
  EXPECT_LT(*small->memory_bytes, 16e9);
}

TEST_F(PredictedStepsTest, AnswersAreInTheOrderOfThePlans) {
  Plan of_another_cloud = plan_on("A100-SXM4-80GB", 1, 64);
  of_another_cloud.instance.cloud = "gcp";
  const std::vector<Plan> plans = {plan_on("A100-SXM4-80GB", 1, 64), plan_on("", 0, 64),
                                   plan_on("A100-SXM4-80GB", 1, 128), of_another_cloud};
  const auto answers = steps().steps(job_, plans);
  ASSERT_EQ(answers.size(), 4U);
  EXPECT_FALSE(answers[1].ok());
  EXPECT_GT(answers[2]->seconds.value, answers[0]->seconds.value);
  EXPECT_EQ(answers[3]->seconds.value, answers[0]->seconds.value);
}

}  // namespace
}  // namespace tacho
