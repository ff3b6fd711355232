#include <gtest/gtest.h>

#include "tracing/report/advice.h"
#include "tracing/report/made_findings.h"

namespace tacho {
namespace {

GpuFindings& gpu_of(RunFindings& run) { return run.processes.front().findings; }

TEST(GpuAdvice, ShowsWhereTheTimeGoesIfNothingStandsOut) {
  const auto all = advise(made_gpu_run());
  ASSERT_EQ(all.size(), 1U);
  EXPECT_EQ(all[0].key, "none");
  EXPECT_EQ(all[0].saving, 0);
  EXPECT_NE(all[0].evidence.find("backward 62.0 %"), std::string::npos) << all[0].evidence;
}

TEST(GpuAdvice, StarvedInputSavesTheWait) {
  RunFindings run = made_gpu_run();
  gpu_of(run).parts.input_wait = 0.012;
  gpu_of(run).signs.gpu_busy_share = 0.4;
  const auto all = advise(run);
  EXPECT_EQ(all[0].key, "input");
  EXPECT_DOUBLE_EQ(all[0].saving, 0.6);
  EXPECT_DOUBLE_EQ(all[0].range.low, 0.3);
  EXPECT_NE(all[0].evidence.find("1.2 of 16 cores"), std::string::npos) << all[0].evidence;
}

TEST(GpuAdvice, StarvedInputSavesNoMoreThanTheFreeCoresAllow) {
  RunFindings run = made_gpu_run();
  gpu_of(run).parts.input_wait = 0.012;
  run.used->mean_cores = 12;
  const auto all = advise(run);
  EXPECT_EQ(all[0].key, "input");
  EXPECT_DOUBLE_EQ(all[0].saving, 0.25);
  EXPECT_NE(all[0].action.find("more cores"), std::string::npos);
}

TEST(GpuAdvice, AnInputWaitThatOverlapWouldHideIsBlamedOnBlockingCalls) {
  RunFindings run = made_gpu_run();
  gpu_of(run).parts.input_wait = 0.006;
  gpu_of(run).signs.gpu_busy_share = 0.68;
  gpu_of(run).signs.syncs_per_step = 3;
  gpu_of(run).signs.sync_wait_s = 0.010;
  const auto all = advise(run);
  EXPECT_EQ(all[0].key, "sync");
  EXPECT_NEAR(all[0].saving, 0.32, 1e-9);
  EXPECT_EQ(find_advice(all, "input"), nullptr);
}

RunFindings tiny_batch() {
  RunFindings run = made_gpu_run();
  GpuFindings& gpu = gpu_of(run);
  gpu.steps.period_s = 0.002;
  gpu.parts = {.forward = 0.0002,
               .backward = 0.0003,
               .optimizer = 0.0001,
               .launch_gaps = 0.0014,
               .phases_known = true};
  gpu.signs.gpu_busy_share = 0.3;
  gpu.signs.median_kernel_s = 3e-6;
  gpu.signs.mean_occupied_blocks = 0.4;
  return run;
}

TEST(GpuAdvice, TinyBatchComesBeforeGraphsAndCountsTimePerSample) {
  const auto all = advise(tiny_batch());
  ASSERT_GE(all.size(), 2U);
  EXPECT_EQ(all[0].key, "batch");
  EXPECT_DOUBLE_EQ(all[0].saving, 0.875);  // eight times the samples in the same step
  EXPECT_EQ(all[1].key, "graphs");
  EXPECT_DOUBLE_EQ(all[1].saving, 0.9 * 0.7 * (1 - 0.875));  // of the remaining time
}

TEST(GpuAdvice, NoLargerBatchThanFitsInMemory) {
  RunFindings run = tiny_batch();
  GpuSummary used;
  used.max_memory_bytes = 60;
  used.memory_total_bytes = 100;
  run.used->gpus.push_back(used);
  const auto all = advise(run);
  EXPECT_EQ(find_advice(all, "batch"), nullptr);
  EXPECT_EQ(all[0].key, "graphs");
}

TEST(GpuAdvice, BlockingCallsSaveWhatHostAndGpuCouldOverlap) {
  RunFindings run = made_gpu_run();
  GpuFindings& gpu = gpu_of(run);
  gpu.parts.sync_gaps = 0.006;
  gpu.parts.forward = 0.002;
  gpu.parts.backward = 0.011;
  gpu.signs.gpu_busy_share = 0.68;
  gpu.signs.syncs_per_step = 3;
  gpu.signs.sync_wait_s = 0.010;  // the host works for 10 ms, the GPU for 13.6 ms
  const auto all = advise(run);
  EXPECT_EQ(all[0].key, "sync");
  EXPECT_NEAR(all[0].saving, 0.32, 1e-9);
}

TEST(GpuAdvice, BlockingCallsSaveNothingIfTheHostIsSlower) {
  RunFindings run = made_gpu_run();
  gpu_of(run).parts.sync_gaps = 0.001;
  gpu_of(run).signs.syncs_per_step = 1;
  gpu_of(run).signs.sync_wait_s = 0.0002;
  EXPECT_EQ(find_advice(advise(run), "sync"), nullptr);
}

RunFindings fp32() {
  RunFindings run = made_gpu_run();
  GpuFindings& gpu = gpu_of(run);
  gpu.signs.tensor_core_share = 0;
  gpu.signs.host_work_s = 0.005;
  for (ClassRow& row : gpu.classes) row.tensor_core_share = 0;
  return run;
}

TEST(GpuAdvice, RecommendsBf16ForProductsWithoutTensorCores) {
  const auto all = advise(fp32());
  EXPECT_EQ(all[0].key, "precision");
  EXPECT_GT(all[0].saving, 0.5);
  EXPECT_LT(all[0].saving, 0.7);
  EXPECT_NE(all[0].action.find("bfloat16"), std::string::npos);
}

TEST(GpuAdvice, RecommendsFp16ForOldTensorCoresAndNothingWithoutThem) {
  RunFindings run = fp32();
  gpu_of(run).gpu = "Tesla V100-SXM2-16GB";
  EXPECT_NE(advise(run)[0].action.find("float16"), std::string::npos);
  gpu_of(run).gpu = "Quadro of old";
  run.processes.front().gpus.front().compute_major = 6;
  EXPECT_EQ(find_advice(advise(run), "precision"), nullptr);
}

KernelRow kernel(const char* name, KernelClass kind, double count, double seconds) {
  KernelRow row;
  row.time.name = name;
  row.kind = kind;
  row.count_per_step = count;
  row.seconds_per_step = seconds;
  return row;
}

TEST(GpuAdvice, RecommendsChannelsLastForLayoutConversions) {
  RunFindings run = made_gpu_run();
  gpu_of(run).signs.layout_change_s = 0.003;
  gpu_of(run).tables.kernels = {kernel("nchwToNhwcKernel<bf16>", KernelClass::copy, 170, 0.002),
                                kernel("nhwcToNchwKernel<bf16>", KernelClass::copy, 75, 0.001),
                                kernel("at::native::batch_norm_backward_kernel<bf16>",
                                       KernelClass::normalisation, 53, 0.004)};
  const auto all = advise(run);
  EXPECT_EQ(all[0].key, "layout");
  EXPECT_NEAR(all[0].saving, (0.003 + 0.55 * 0.004) / 0.020, 1e-9);
}

TEST(GpuAdvice, DoesNotRecommendChannelsLastToAChannelsLastModel) {
  RunFindings run = made_gpu_run();
  gpu_of(run).signs.layout_change_s = 0.003;
  gpu_of(run).tables.kernels = {kernel("nchwToNhwcKernel<f>", KernelClass::copy, 123, 0.001),
                                kernel("nhwcToNchwKernel<f>", KernelClass::copy, 170, 0.002)};
  EXPECT_EQ(find_advice(advise(run), "layout"), nullptr);
}

TEST(GpuAdvice, FasterKernelsSaveNothingIfTheHostIsSlower) {
  RunFindings run = fp32();
  gpu_of(run).parts.launch_gaps = 0.012;
  gpu_of(run).signs.gpu_busy_share = 0.4;
  gpu_of(run).signs.host_work_s = 0.0198;
  EXPECT_EQ(find_advice(advise(run), "precision"), nullptr);
  EXPECT_EQ(advise(run)[0].key, "graphs");
}

TEST(GpuAdvice, ReportsTheExposedShareOfCommunication) {
  RunFindings run = made_gpu_run();
  gpu_of(run).parts.comm_exposed = 0.004;
  gpu_of(run).parts.comm_hidden = 0.004;
  const auto all = advise(run);
  EXPECT_EQ(all[0].key, "comm");
  EXPECT_DOUBLE_EQ(all[0].saving, 0.7 * 0.2);
  EXPECT_NE(all[0].evidence.find("50 % of it not hidden"), std::string::npos);
}

TEST(GpuAdvice, RecommendsPinnedMemoryForPageableCopies) {
  RunFindings run = made_gpu_run();
  gpu_of(run).parts.host_to_device = 0.004;
  gpu_of(run).signs.pageable_copy_s = 0.004;
  EXPECT_NEAR(find_advice(advise(run), "pinned")->saving, 0.16, 1e-12);
}

TEST(GpuAdvice, WithFreeMemoryALargerBatchRunsTheOptimizerLessOften) {
  RunFindings run = made_gpu_run();
  gpu_of(run).parts.optimizer = 0.004;
  GpuSummary used;
  used.max_memory_bytes = 10;
  used.memory_total_bytes = 100;
  run.used->gpus.push_back(used);
  EXPECT_NEAR(find_advice(advise(run), "headroom")->saving, 0.2 * 0.875, 1e-12);
}

TEST(GpuAdvice, EveryRangeContainsItsSaving) {
  for (const RunFindings& run : {tiny_batch(), fp32(), made_gpu_run()}) {
    for (const Advice& advice : advise(run)) {
      EXPECT_LE(advice.range.low, advice.saving) << advice.key;
      EXPECT_GE(advice.range.high, advice.saving) << advice.key;
      EXPECT_LE(advice.range.high, 1) << advice.key;
    }
  }
}

}  // namespace
}  // namespace tacho
