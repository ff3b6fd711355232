#include "report/step_picture.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace tacho {
namespace {

double share_of(const StepPicture& picture, std::string_view key) {
  const auto part = std::find_if(picture.parts.begin(), picture.parts.end(),
                                 [&](const StepPart& each) { return each.key == key; });
  return part == picture.parts.end() ? 0 : part->share;
}

TEST(StepPicture, SharesOutAStepThoughTheWatchedOnesWereSlower) {
  RunFindings run;
  run.record.steps = {.seconds = {0.1, 0.1}, .input_seconds = {0.01, 0.01}, .loss = {1, 1}};
  run.ops.emplace();
  run.ops->step_s = {0.2, 0.2};
  run.ops->rows = {{.name = "aten::mm", .phase = OpPhase::forward, .calls = 2, .self_s = 0.16},
                   {.name = "aten::mm", .phase = OpPhase::backward, .calls = 2, .self_s = 0.18}};
  const auto picture = step_picture_of(run);
  ASSERT_TRUE(picture);
  EXPECT_NEAR(share_of(*picture, "input_wait"), 0.1, 1e-12);
  EXPECT_NEAR(share_of(*picture, "forward"), 0.4, 1e-12);
  EXPECT_NEAR(share_of(*picture, "backward"), 0.45, 1e-12);
  EXPECT_NEAR(share_of(*picture, "other"), 0.05, 1e-12);
}

// Three quick steps and a slow one: the median is 0.1 s, the mean 0.25 s.
TEST(StepPicture, PartsAddUpToTheMedianStep) {
  RunFindings run;
  run.record.steps = {.seconds = {0.1, 0.1, 0.1, 0.7},
                      .input_seconds = {0.01, 0.01, 0.01, 0.47},
                      .loss = {1, 1, 1, 1}};
  for (const bool watched : {false, true}) {
    if (watched) {
      run.ops.emplace();
      run.ops->step_s = {0.1};
      run.ops->rows = {{.name = "a", .phase = OpPhase::forward, .self_s = 0.09},
                       {.name = "b", .phase = OpPhase::backward, .self_s = 0.0001}};
    }
    const auto picture = step_picture_of(run);
    ASSERT_TRUE(picture);
    EXPECT_NEAR(picture->seconds, 0.1, 1e-12);
    double seconds = 0;
    double share = 0;
    for (const StepPart& part : picture->parts) {
      seconds += part.seconds;
      share += part.share;
      EXPECT_GT(part.share, 0.002);
    }
    EXPECT_NEAR(seconds, 0.1, 1e-12) << watched;
    EXPECT_NEAR(share, 1, 1e-12) << watched;
  }
}

TEST(StepPicture, IsNoneWithoutSteps) { EXPECT_FALSE(step_picture_of(RunFindings{})); }

}  // namespace
}  // namespace tacho
