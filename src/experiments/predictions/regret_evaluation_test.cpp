#include "experiments/predictions/regret_evaluation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::HasSubstr;

// A sweep over batches: a step takes a fixed time and one per sample, so the largest is cheapest.
std::vector<OwnRun> sweep_of(const std::string& model, const std::string& cpu, double speed) {
  std::vector<OwnRun> runs;
  for (const std::int64_t batch : {16, 32, 64, 128, 256}) {
    OwnRun run{.host = {.cpu = cpu, .cores = 4}, .torch_version = "2", .threads = 4};
    run.spec.model = model;
    run.spec.data = "synthetic";
    run.spec.batch = batch;
    run.step_seconds = (0.01 + 0.001 * static_cast<double>(batch)) / speed;
    runs.push_back(run);
  }
  return runs;
}

TEST(EvaluateRecommendations, HoldsOutConfigurationsAndModelsOnEveryMachine) {
  std::vector<OwnRun> runs = sweep_of("lenet5", "CPU a", 1);
  for (const auto& more : {sweep_of("mnist-cnn", "CPU a", 0.5), sweep_of("lenet5", "CPU b", 2)}) {
    runs.insert(runs.end(), more.begin(), more.end());
  }
  const auto scores = evaluate_recommendations(runs);
  ASSERT_TRUE(scores.ok()) << scores.error().message;
  ASSERT_EQ(scores->size(), 4U);
  EXPECT_EQ((*scores)[0].machine, "CPU a");
  EXPECT_EQ((*scores)[0].held_out, HeldOut::configurations);
  EXPECT_EQ((*scores)[0].score.sweeps, 2U);
  EXPECT_LT((*scores)[0].score.mean_excess, 0.05);
  EXPECT_EQ((*scores)[0].score.first_three, 1);
  EXPECT_EQ((*scores)[1].held_out, HeldOut::sweeps);
  EXPECT_EQ((*scores)[2].machine, "CPU b");
  EXPECT_EQ((*scores)[2].score.sweeps, 1U);
  // Its only model is held out, so there is nothing to predict it from.
  EXPECT_EQ((*scores)[3].held_out, HeldOut::sweeps);
  EXPECT_EQ((*scores)[3].score.sweeps, 0U);
}

const std::vector<RegretOfSweeps> kScores = {{"NVIDIA H200",
                                              HeldOut::sweeps,
                                              {.sweeps = 7,
                                               .worst_excess = 0.25,
                                               .worst_sweep = "lstm",
                                               .mean_excess = 0.031,
                                               .within = 0.857,
                                               .first_three = 1}}};

TEST(RegretView, JsonHasEveryValue) {
  EXPECT_EQ(regret_json(kScores), Json::parse(R"([{"machine": "NVIDIA H200",
      "held_out": "whole models", "sweeps": 7, "mean_excess": 0.031, "worst_excess": 0.25,
      "worst_sweep": "lstm", "within_5_percent": 0.857, "cheapest_among_first_three": 1.0}])"));
}

TEST(RegretView, TableHasOneRowPerScore) {
  const std::string table = regret_table(kScores, Terminal(-1));
  EXPECT_THAT(table, testing::ContainsRegex("NVIDIA H200 +whole models +7 +3.1 % +25.0 % +85.7 % "
                                            "+100.0 %"));
  EXPECT_THAT(table, HasSubstr("within 5 %"));
}

}  // namespace
}  // namespace tacho
