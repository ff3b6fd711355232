#include "tracing/trace/step_parts.h"

#include <gtest/gtest.h>

#include <string>

#include "tracing/trace/gpu_findings.h"
#include "tracing/trace/test_trace.h"

namespace tacho {
namespace {

const std::string kFusedSgd = "multi_tensor_apply_kernel<TensorListMetadata<3>, FusedSgd>";

double sum_of(const StepParts& parts) {
  return parts.input_wait + parts.host_to_device + parts.forward + parts.backward +
         parts.optimizer + parts.comm_exposed + parts.launch_gaps + parts.sync_gaps + parts.other;
}

// 20 products forward, 40 backward from autograd's thread, one update: 3 ms, 6 ms and 0.4 ms.
void step(TestProgram& program, std::int64_t unit = 150 * kUs) {
  for (int i = 0; i < 20; ++i) program.kernel("ampere_sgemm_128x64_tn", unit);
  program.thread = 2;
  for (int i = 0; i < 40; ++i) program.kernel("ampere_sgemm_128x64_nt", unit);
  program.thread = 1;
  program.kernel(kFusedSgd, unit * 400 / 150);
}

GpuFindings findings_of(TestProgram& program) { return find_in(program.trace()); }

TEST(StepParts, AddUpToThePeriod) {
  TestProgram program;
  for (int i = 0; i < 20; ++i) {
    program.sleep((i % 3) * kMs);
    program.copy(CopyKind::host_to_device, 1 << 24, 700 * kUs);
    step(program);
    program.copy(CopyKind::device_to_host, 4, 2 * kUs);
    program.wait();
  }
  const GpuFindings found = findings_of(program);
  EXPECT_NEAR(sum_of(found.parts), found.steps.period_s, 1e-9);
  EXPECT_TRUE(found.parts.phases_known);
}

TEST(StepParts, DistinguishPhasesByLaunchingThread) {
  TestProgram program;
  for (int i = 0; i < 20; ++i) step(program);
  const StepParts parts = findings_of(program).parts;
  EXPECT_TRUE(parts.phases_known);
  EXPECT_NEAR(parts.forward, 3e-3, 1e-5);
  EXPECT_NEAR(parts.backward, 6e-3, 1e-5);
  EXPECT_NEAR(parts.optimizer, 0.4e-3, 1e-6);
  EXPECT_LT(parts.launch_gaps + parts.sync_gaps + parts.input_wait, 1e-5);
}

TEST(StepParts, SmallKernelsAfterTheBackwardPassBelongToTheOptimizer) {
  TestProgram program;
  for (int i = 0; i < 20; ++i) {
    program.copy(CopyKind::host_to_device, 1 << 20, 50 * kUs);
    for (int k = 0; k < 20; ++k) program.kernel("ampere_sgemm_128x64_tn", 100 * kUs);
    program.thread = 2;
    for (int k = 0; k < 20; ++k) program.kernel("ampere_sgemm_128x64_nt", 100 * kUs);
    program.thread = 1;
    for (int k = 0; k < 30; ++k) program.kernel("vectorized_elementwise_kernel<add>", 20 * kUs);
  }
  const StepParts parts = findings_of(program).parts;
  EXPECT_NEAR(parts.optimizer, 0.6e-3, 1e-6);
  EXPECT_NEAR(parts.forward, 2e-3, 1e-5);
}

TEST(StepParts, DistinguishPhasesOfAGraphByName) {
  TestProgram program;
  for (int i = 0; i < 20; ++i) {
    program.graph({{"sm80_xmma_fprop_implicit_gemm", 500 * kUs},
                   {"nll_loss_forward", 10 * kUs},
                   {"nll_loss_backward", 10 * kUs},
                   {"sm80_xmma_dgrad_implicit_gemm", 500 * kUs},
                   {"sm80_xmma_wgrad_implicit_gemm", 500 * kUs},
                   {kFusedSgd, 100 * kUs}});
  }
  const GpuFindings found = findings_of(program);
  EXPECT_TRUE(found.parts.phases_known);
  EXPECT_NEAR(found.parts.forward, 0.51e-3, 1e-6);
  EXPECT_NEAR(found.parts.backward, 1.01e-3, 1e-6);
  EXPECT_NEAR(found.parts.optimizer, 0.1e-3, 1e-6);
  EXPECT_TRUE(found.signs.uses_graphs);
}

TEST(StepParts, AHostWithoutCallsBeforeTheInputCopyWaitsForInput) {
  TestProgram program;
  for (int i = 0; i < 20; ++i) {
    program.sleep(30 * kMs);  // its data arrive late
    program.copy(CopyKind::host_to_device, 1 << 24, 700 * kUs);
    step(program);
    program.copy(CopyKind::device_to_host, 4, 2 * kUs);
    program.wait();
  }
  const StepParts parts = findings_of(program).parts;
  EXPECT_NEAR(parts.input_wait, 30e-3, 0.2e-3);
  EXPECT_NEAR(parts.host_to_device, 0.7e-3, 1e-5);
  EXPECT_LT(parts.sync_gaps, 0.1e-3);
}

TEST(StepParts, HostWorkAfterABlockingReadMakesTheGpuWait) {
  TestProgram program;
  for (int i = 0; i < 20; ++i) {
    step(program);
    program.copy(CopyKind::device_to_host, 4, 2 * kUs);
    program.wait();
    program.sleep(3 * kMs);  // its data are on the GPU: this is not an input wait
  }
  const StepParts parts = findings_of(program).parts;
  EXPECT_NEAR(parts.sync_gaps, 3e-3, 0.05e-3);
  EXPECT_EQ(parts.input_wait, 0);
}

TEST(StepParts, SmallKernelsWaitForTheirLaunch) {
  TestProgram program;
  program.launch_cost_ns = 10 * kUs;
  for (int i = 0; i < 20; ++i) step(program, 3 * kUs);
  const GpuFindings found = findings_of(program);
  // 61 launches of 10 us, and under them 60 kernels of 3 us and one of 8.
  EXPECT_NEAR(found.steps.period_s, 610e-6, 1e-6);
  EXPECT_NEAR(found.parts.launch_gaps, 422e-6, 3e-6);
  EXPECT_EQ(found.parts.sync_gaps, 0);
  EXPECT_EQ(found.signs.launches_per_step, 61);
  EXPECT_NEAR(found.signs.host_call_s, found.steps.period_s, 1e-5);
}

TEST(StepParts, ABlockingHostLeavesTheGpuIdle) {
  TestProgram program;
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 20; ++k) {
      program.kernel("ampere_sgemm_128x64_tn", 50 * kUs);
      program.wait();
      program.sleep(40 * kUs);
    }
    program.kernel(kFusedSgd, 50 * kUs);
  }
  const GpuFindings found = findings_of(program);
  EXPECT_NEAR(found.parts.sync_gaps, 20 * 49e-6, 20 * 3e-6);
  EXPECT_LT(found.parts.launch_gaps, 0.1e-3);
  EXPECT_EQ(found.signs.syncs_per_step, 20);
}

TEST(StepParts, HostWorkExcludesWaiting) {
  TestProgram program;
  for (int i = 0; i < 20; ++i) {
    step(program);  // 9.4 ms of the GPU, 61 launches of 4 us
    program.copy(CopyKind::device_to_host, 4, 2 * kUs);
    program.wait();
    program.sleep(3 * kMs);
  }
  const GpuFindings found = findings_of(program);
  EXPECT_NEAR(found.signs.host_work_s, 3e-3 + 62 * 4e-6, 5e-6);
}

TEST(StepParts, CommunicationIsExposedWhereNothingElseRuns) {
  TestProgram program;
  for (int i = 0; i < 20; ++i) {
    for (int k = 0; k < 10; ++k) program.kernel("ampere_sgemm_128x64_tn", 100 * kUs);
    program.stream = 9;
    program.join(7);
    program.kernel("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 500 * kUs);
    program.stream = 7;
    for (int k = 0; k < 3; ++k) program.kernel("ampere_sgemm_128x64_nt", 100 * kUs);
    program.join(9);
    program.kernel(kFusedSgd, 100 * kUs);
  }
  const StepParts parts = findings_of(program).parts;
  EXPECT_NEAR(parts.comm_hidden, 0.3e-3, 3e-6);
  EXPECT_NEAR(parts.comm_exposed, 0.2e-3, 3e-6);
}

TEST(StepParts, WithoutStepsCoverTheWholeTrace) {
  TestProgram program;
  program.kernel("spin", 900 * kUs);
  program.sleep(2 * kMs);
  program.copy(CopyKind::host_to_device, 1 << 20, 100 * kUs);
  const GpuFindings found = findings_of(program);
  EXPECT_TRUE(found.steps.begins_ns.empty());
  EXPECT_FALSE(found.parts.phases_known);
  EXPECT_NEAR(found.parts.forward, 900e-6, 1e-9);
  EXPECT_NEAR(found.parts.host_to_device, 100e-6, 1e-9);
  EXPECT_NEAR(sum_of(found.parts), found.span_s, 1e-9);
}

TEST(StepParts, ATraceWithoutCallsStillAddsUp) {
  TestProgram program;
  for (int i = 0; i < 20; ++i) {
    program.sleep(20 * kMs);
    step(program);
  }
  GpuTrace trace = program.trace();
  trace.calls.clear();
  const GpuFindings found = find_in(trace);
  EXPECT_NEAR(sum_of(found.parts), found.steps.period_s, 1e-9);
  EXPECT_EQ(found.parts.input_wait, 0);
}

}  // namespace
}  // namespace tacho
