#include "tracing/trace/trace_diff.h"

#include <gtest/gtest.h>

#include "tracing/trace/test_trace.h"

namespace tacho {
namespace {

GpuFindings run_of(const std::string& conv, std::int64_t conv_us, int steps, bool extra) {
  TestProgram program;
  for (int i = 0; i < steps; ++i) {
    program.kernel(conv, conv_us * kUs);
    program.kernel("vectorized_elementwise_kernel<relu>", 20 * kUs);
    if (extra) program.kernel("reduce_kernel<512, 1, sum>", 10 * kUs);
    program.kernel("multi_tensor_apply_kernel<FusedSgd>", 30 * kUs);
  }
  return find_in(program.trace());
}

TEST(TraceDiff, KernelsAreComparedForOneStep) {
  const TraceDiff diff = diff_kernels(run_of("sm80_xmma_fprop_a", 100, 10, false),
                                      run_of("sm80_xmma_fprop_a", 150, 30, true));
  EXPECT_TRUE(diff.for_one_step);
  ASSERT_EQ(diff.rows.size(), 4U);
  EXPECT_EQ(diff.rows[0].name, "sm80_xmma_fprop_a");
  EXPECT_EQ(diff.rows[0].change, Change::slower);
  EXPECT_NEAR(diff.rows[0].change_s(), 50e-6, 1e-9);
  EXPECT_EQ(diff.rows[1].change, Change::appeared);
  EXPECT_EQ(diff.rows[2].change, Change::same);
  EXPECT_NEAR(diff.after_s - diff.before_s, 60e-6, 1e-9);
  EXPECT_EQ(diff.classes[0].kind, KernelClass::convolution);
}

TEST(TraceDiff, PairsAReplacedKernelWithItsReplacement) {
  const TraceDiff diff = diff_kernels(run_of("sm80_xmma_fprop_a", 100, 10, false),
                                      run_of("sm90_xmma_fprop_b", 40, 10, false));
  EXPECT_EQ(diff.rows[0].change, Change::gone);
  EXPECT_EQ(diff.rows[0].instead, "sm90_xmma_fprop_b");
  EXPECT_EQ(diff.rows[1].change, Change::appeared);
  EXPECT_EQ(diff.rows[1].instead, "sm80_xmma_fprop_a");
}

TEST(TraceDiff, WithoutStepsWholeRunsAreCompared) {
  TestProgram program;
  program.kernel("spin", 100 * kUs);
  const TraceDiff diff = diff_kernels(find_in(program.trace()), GpuFindings{});
  EXPECT_FALSE(diff.for_one_step);
  ASSERT_EQ(diff.rows.size(), 1U);
  EXPECT_EQ(diff.rows[0].change, Change::gone);
  EXPECT_NEAR(diff.rows[0].before_s, 100e-6, 1e-12);
}

TEST(TraceDiff, OperatorsAreComparedByNameShapesAndPhase) {
  OpTrace before;
  before.step_s = {1, 1};
  before.rows = {{"aten::addmm", "[8, 4]", OpPhase::forward, 4, 2.0, 2.0, 0, 0},
                 {"aten::relu", "[8, 4]", OpPhase::forward, 2, 1.0, 1.0, 0, 0}};
  OpTrace after;
  after.step_s = {1};
  after.rows = {{"aten::addmm", "[8, 4]", OpPhase::forward, 2, 0.5, 2.0, 0, 0},
                {"aten::addmm", "[16, 4]", OpPhase::forward, 1, 0.1, 0.1, 0, 0},
                {"aten::relu", "[8, 4]", OpPhase::forward, 1, 0.5, 0.5, 0, 0}};
  const TraceDiff diff = diff_operators(before, after);
  ASSERT_EQ(diff.rows.size(), 3U);
  EXPECT_EQ(diff.rows[0].change, Change::faster);
  EXPECT_DOUBLE_EQ(diff.rows[0].change_s(), -0.5);
  EXPECT_DOUBLE_EQ(diff.rows[0].before_count, 2);
  EXPECT_EQ(diff.rows[1].change, Change::appeared);
  EXPECT_EQ(diff.rows[1].shapes, "[16, 4]");
  EXPECT_EQ(diff.rows[2].change, Change::same);
}

}  // namespace
}  // namespace tacho
