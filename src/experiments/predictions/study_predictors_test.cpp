#include "experiments/predictions/study_predictors.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "experiments/predictions/test_runs.h"

namespace tacho {
namespace {

TEST(StudyPredictorsTest, LearnFromTheGivenRunsOnly) {
  std::vector<RunRecord> records;
  for (const std::int64_t batch : {16, 32, 128, 256}) {
    records.push_back(record_of({.key = std::to_string(batch), .batch = batch}));
    // The machine of the study, which need not be this one.
    records.back().started->host = {.cpu = "Made CPU", .cores = 4};
  }
  std::vector<const RunRecord*> given;
  for (const RunRecord& record : records) given.push_back(&record);
  const auto predictor = study_predictors().learn(given);
  ASSERT_TRUE(predictor.ok()) << predictor.error().message;
  const auto made = (*predictor)->run(order_of({.key = "new", .batch = 64}).spec);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_NEAR(made->step_seconds.value / true_step(64), 1, 0.15);
  EXPECT_EQ(made->basis, "4 configurations on Made CPU, 4 of them of vgg16");
}

TEST(StudyPredictorsTest, AbstainWithoutUsableRuns) {
  RunRecord disturbed = record_of({.key = "disturbed"});
  disturbed.disturbed = {"other programs took 40 % of the processors"};
  RunRecord failed = record_of({.key = "failed"});
  failed.outcome = Outcome::failed;
  const auto refused = study_predictors().learn({&disturbed, &failed});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, ErrorCode::unavailable);
  EXPECT_EQ(refused.error().message, "these runs have no usable step times");
  ::setenv("TACHO_INCLUDE_DISTURBED", "1", 1);
  EXPECT_TRUE(study_predictors().learn({&disturbed, &failed}).ok());
  ::unsetenv("TACHO_INCLUDE_DISTURBED");
}

TEST(StudyPredictorsTest, ScoreTheRunsThatComeWithTachoByMachine) {
  const auto scores = study_predictors().corpus(2);
  ASSERT_TRUE(scores.ok()) << scores.error().message;
  const auto cpu = std::ranges::find(*scores, "Neoverse-N1, 2 cores", &CorpusScore::machine);
  ASSERT_NE(cpu, scores->end());
  EXPECT_EQ(cpu->part, "all");
  EXPECT_EQ(cpu->score.configurations, 75U);
  EXPECT_EQ(cpu->score.refused, 0U);
  EXPECT_GT(cpu->score.mape, 0);
  EXPECT_LT(cpu->score.mape, 0.05);
  EXPECT_GT(cpu->score.rmse, cpu->score.mae);
  EXPECT_GT(cpu->score.coverage, 0.8);
  EXPECT_TRUE(cpu->repeat_difference);  // two runs per configuration
}

}  // namespace
}  // namespace tacho
