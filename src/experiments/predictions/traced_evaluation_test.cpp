#include "experiments/predictions/traced_evaluation.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(TracedEvaluation, PublishedSpeedsAreNearThePredictions) {
  const auto scores = evaluate_traced_programs();
  ASSERT_TRUE(scores.ok()) << scores.error().message;
  const TracedScore& all = scores->back();
  EXPECT_EQ(all.program, "all");
  EXPECT_GT(scores->size(), 6U);
  EXPECT_GT(all.gpus, 60U);
  EXPECT_LT(all.median_error, 0.20);
  EXPECT_GT(all.coverage, 0.87);
  EXPECT_LT(all.coverage, 0.93);
}

}  // namespace
}  // namespace tacho
