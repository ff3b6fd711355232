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

TEST(StepPicture, IsNoneWithoutSteps) { EXPECT_FALSE(step_picture_of(RunFindings{})); }

}  // namespace
}  // namespace tacho
