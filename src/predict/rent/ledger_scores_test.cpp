#include "predict/rent/ledger_scores.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

LedgerEntry prediction(const std::string& metric, double value, std::optional<double> measured) {
  LedgerEntry one{.run_key = "k", .metric = metric, .model = "lenet5", .machine = "H100"};
  one.predicted = {value, value * 0.9, value * 1.1};
  one.outcome = measured ? "ok" : "failed";
  one.measured = measured;
  return one;
}

TEST(LedgerScores, ErrorsAreRelativeForTimesAndAbsoluteForAccuracies) {
  const std::vector<LedgerEntry> made = {
      prediction("step_s", 1.2, 1.0), prediction("step_s", 1.0, 1.0),
      prediction("step_s", 2.0, std::nullopt), prediction("top1", 0.8, 0.75)};
  const auto scores = ledger_scores(made);
  ASSERT_EQ(scores.size(), 4U);  // two metrics, each with one model and all
  const LedgerScore& step = scores[1];
  EXPECT_EQ(step.model, "lenet5");
  EXPECT_EQ(step.made, 3U);
  EXPECT_EQ(step.measured, 2U);
  EXPECT_EQ(step.failed, 1U);
  EXPECT_DOUBLE_EQ(step.mean_error, 0.1);
  EXPECT_DOUBLE_EQ(step.coverage, 0.5);
  EXPECT_NEAR(scores[3].median_error, 0.05, 1e-12);
  EXPECT_NEAR(scores[3].bias, 0.05, 1e-12);
}

TEST(LedgerScores, HasNoErrorsWithoutMeasurements) {
  const std::vector<LedgerEntry> made = {prediction("step_s", 2.0, std::nullopt)};
  EXPECT_FALSE(to_json(ledger_scores(made))[0].contains("median_error"));
}

}  // namespace
}  // namespace tacho
