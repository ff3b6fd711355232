#include "tracing/trace/gpu_findings.h"

#include <gtest/gtest.h>

#include <random>

#include "tracing/trace/test_trace.h"

namespace tacho {
namespace {

TestProgram network() {
  TestProgram program;
  for (int i = 0; i < 10; ++i) {
    program.copy(CopyKind::host_to_device, 1 << 20, 100 * kUs, true);
    program.shape = program.new_shape(400);
    program.kernel("void cudnn::ops::nchwToNhwcKernel<float>", 50 * kUs);
    program.kernel("sm80_xmma_fprop_implicit_gemm_tf32", 300 * kUs);
    program.kernel("sm80_xmma_dgrad_implicit_gemm_ffma", 100 * kUs);
    program.kernel("multi_tensor_apply_kernel<FusedSgd>", 50 * kUs);
    program.wait();
  }
  return program;
}

TEST(GpuFindings, SumClassesForOneStep) {
  const GpuFindings found = find_in(network().trace());
  EXPECT_EQ(found.process, 7U);
  EXPECT_EQ(found.gpu, "Test GPU");
  EXPECT_EQ(found.kernel_count, 40);
  EXPECT_EQ(found.steps.begins_ns.size(), 9U);
  ASSERT_EQ(found.classes.size(), 3U);
  EXPECT_EQ(found.classes[0].kind, KernelClass::convolution);
  EXPECT_EQ(found.classes[0].kernels_per_step, 2);
  EXPECT_NEAR(found.classes[0].seconds_per_step, 400e-6, 1e-9);
  EXPECT_NEAR(found.classes[0].share, 0.8, 1e-9);
  EXPECT_NEAR(found.classes[0].tensor_core_share, 0.75, 1e-9);
}

TEST(GpuFindings, HaveTheMeasurementsForAdvice) {
  const StepSigns signs = find_in(network().trace()).signs;
  EXPECT_NEAR(signs.tensor_core_share, 0.75, 1e-9);
  EXPECT_NEAR(signs.layout_change_s, 50e-6, 1e-9);
  EXPECT_NEAR(signs.pageable_copy_s, 100e-6, 1e-9);
  EXPECT_NEAR(signs.mean_occupied_blocks, 4, 1e-9);
  EXPECT_EQ(signs.launches_per_step, 4);
  EXPECT_EQ(signs.syncs_per_step, 1);
  EXPECT_FALSE(signs.uses_graphs);
}

TEST(GpuFindings, HaveEachKernelsTimePerStep) {
  const GpuFindings found = find_in(network().trace());
  EXPECT_EQ(found.tables.kernels[0].count_per_step, 1);
  EXPECT_NEAR(found.tables.kernels[0].seconds_per_step, 300e-6, 1e-9);
}

TEST(GpuFindings, TheProcessWithMostKernelTimeComesFirst) {
  TestProgram idle;
  idle.kernel("spin", kUs);
  GpuTrace small = idle.trace();
  small.process = 3;
  const std::vector<GpuTrace> traces = {small, network().trace()};
  const auto all = find_in_all(traces);
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].process, 7U);
  EXPECT_EQ(all[1].process, 3U);
}

// Records as in a damaged file: invalid indices, ends before begins.
TEST(GpuFindings, TolerateInvalidRecords) {
  std::mt19937_64 random(1);
  const auto some = [&random](std::uint64_t below) {
    return static_cast<std::uint32_t>(random() % below);
  };
  for (int trial = 0; trial < 200; ++trial) {
    GpuTrace trace = network().trace();
    for (int i = 0; i < 10; ++i) {
      KernelRecord& kernel = trace.kernels[random() % trace.kernels.size()];
      kernel.name = some(20);
      kernel.shape = some(20);
      kernel.stream = some(4);
      kernel.device = some(3);
      kernel.correlation = static_cast<std::uint32_t>(random());
      kernel.end_ns = kernel.begin_ns - some(1000);
      trace.calls[random() % trace.calls.size()].correlation = static_cast<std::uint32_t>(random());
      trace.calls[random() % trace.calls.size()].name = some(50);
      trace.copies[random() % trace.copies.size()].end_ns = static_cast<std::int64_t>(some(1000));
    }
    trace.kernels.push_back({INT64_MIN, INT64_MAX, 0, 0, 0, 0, 7, 1});
    trace.calls.push_back({INT64_MAX - 1, INT64_MAX, 0, 0, 1});
    trace.to_unix_ns = INT64_MAX;
    const GpuFindings found = find_in(trace);
    EXPECT_LE(found.kernel_count, 40);  // without those that end before they begin
    EXPECT_GE(found.kernel_count, 30);
  }
  EXPECT_EQ(find_in(GpuTrace{}).kernel_count, 0);
}

}  // namespace
}  // namespace tacho
