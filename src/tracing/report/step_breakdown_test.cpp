#include "tracing/report/step_breakdown.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tacho {
namespace {

double share_of(const StepBreakdown& breakdown, std::string_view key) {
  const auto part = std::find_if(breakdown.parts.begin(), breakdown.parts.end(),
                                 [&](const StepPart& each) { return each.key == key; });
  return part == breakdown.parts.end() ? 0 : part->share;
}

TEST(StepBreakdown, ScalesPartsIfStepsWithRecordedOperatorsWereSlower) {
  RunFindings run;
  run.record.steps = {.seconds = {0.1, 0.1}, .input_seconds = {0.01, 0.01}, .loss = {1, 1}};
  run.ops.emplace();
  run.ops->step_s = {0.2, 0.2};
  run.ops->rows = {{.name = "aten::mm", .phase = OpPhase::forward, .calls = 2, .self_s = 0.16},
                   {.name = "aten::mm", .phase = OpPhase::backward, .calls = 2, .self_s = 0.18}};
  const auto breakdown = step_breakdown_of(run);
  ASSERT_TRUE(breakdown);
  EXPECT_NEAR(share_of(*breakdown, "input_wait"), 0.1, 1e-12);
  EXPECT_NEAR(share_of(*breakdown, "forward"), 0.4, 1e-12);
  EXPECT_NEAR(share_of(*breakdown, "backward"), 0.45, 1e-12);
  EXPECT_NEAR(share_of(*breakdown, "other"), 0.05, 1e-12);
}

// Three fast steps and a slow one: the median is 0.1 s, the mean 0.25 s.
TEST(StepBreakdown, PartsAddUpToTheMedianStep) {
  RunFindings run;
  run.record.steps = {.seconds = {0.1, 0.1, 0.1, 0.7},
                      .input_seconds = {0.01, 0.01, 0.01, 0.47},
                      .loss = {1, 1, 1, 1}};
  for (const bool with_operators : {false, true}) {
    if (with_operators) {
      run.ops.emplace();
      run.ops->step_s = {0.1};
      run.ops->rows = {{.name = "a", .phase = OpPhase::forward, .self_s = 0.09},
                       {.name = "b", .phase = OpPhase::backward, .self_s = 0.0001}};
    }
    const auto breakdown = step_breakdown_of(run);
    ASSERT_TRUE(breakdown);
    EXPECT_NEAR(breakdown->seconds, 0.1, 1e-12);
    double seconds = 0;
    double share = 0;
    for (const StepPart& part : breakdown->parts) {
      seconds += part.seconds;
      share += part.share;
      EXPECT_GT(part.share, 0.002);
    }
    EXPECT_NEAR(seconds, 0.1, 1e-12) << with_operators;
    EXPECT_NEAR(share, 1, 1e-12) << with_operators;
  }
}

TEST(StepBreakdown, IsAbsentWithoutSteps) { EXPECT_FALSE(step_breakdown_of(RunFindings{})); }

}  // namespace
}  // namespace tacho
