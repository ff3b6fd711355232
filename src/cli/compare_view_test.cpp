#include "cli/compare_view.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(CompareLine, ShowsTheRunTheTimeLeftAndTheInterval) {
  Comparison comparison;
  comparison.variants = {{"bare", "batch 32", ""}, {"podman", "batch 32", ""}};
  EXPECT_EQ(compare_line(comparison, {.block = 0, .variant = 1}, Seconds(1)),
            "warm-up  batch 32, podman");
  comparison.metrics = {compared(metric::kStepS)};
  const ComparePoint point{.block = 4,
                           .last_block = 10,
                           .variant = 0,
                           .left = Seconds(102),
                           .widest = Ratio{.value = 0.998, .interval = Interval{0.992, 1.004}}};
  EXPECT_EQ(compare_line(comparison, point, Seconds(10)),
            "block 4 of 10  batch 32, bare  1:32 left  step −0.2 % [−0.8, +0.4]");
}

}  // namespace
}  // namespace tacho
