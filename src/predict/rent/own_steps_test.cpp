#include "predict/rent/own_steps.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

class OneSecondPerSample final : public RunPredictor {
 public:
  Result<OwnPrediction> run(const RunSpec& spec) const override {
    if (spec.batch > 100) return Error{ErrorCode::unavailable, "no runs with such a large batch"};
    const auto seconds = static_cast<double>(spec.batch);
    return OwnPrediction{{seconds, seconds, seconds}, Estimate{seconds * 1e9, 0, 0}, {}, "runs"};
  }
};

class Others final : public StepPredictor {
 public:
  Result<StepPrediction> step(const Job&, const Plan&) const override {
    StepPrediction step;
    step.seconds = {7, 7, 7};
    return step;
  }
};

Plan plan_of(std::string cloud, std::string name, std::int64_t batch) {
  Plan plan;
  plan.instance.cloud = std::move(cloud);
  plan.instance.name = std::move(name);
  plan.instance.memory_gib = 32;
  plan.batch_per_gpu = batch;
  return plan;
}

TEST(OwnSteps, UsesOwnRunsForThisMachineOnly) {
  const OwnSteps steps(std::make_unique<Others>(), std::make_unique<OneSecondPerSample>(),
                       [](const Job& job, const Plan& plan) -> Result<RunSpec> {
                         RunSpec spec;
                         spec.model = job.model;
                         spec.batch = plan.batch_per_gpu;
                         return spec;
                       });
  const auto made =
      steps.steps({"mlp", "mnist"},
                  {plan_of("aws", "x", 8), plan_of("own", "here", 8), plan_of("own", "tower", 8),
                   plan_of("own", "here", 64), plan_of("own", "here", 128)});
  EXPECT_EQ(made[0]->seconds.value, 7);
  EXPECT_EQ(made[1]->seconds.value, 8);
  EXPECT_TRUE(made[1]->fits);
  EXPECT_EQ(made[2]->seconds.value, 7);
  EXPECT_FALSE(made[3]->fits);
  EXPECT_EQ(made[4].error().message, "no runs with such a large batch");
}

}  // namespace
}  // namespace tacho
