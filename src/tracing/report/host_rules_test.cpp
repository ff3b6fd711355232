#include <gtest/gtest.h>

#include "tracing/report/advice.h"
#include "tracing/report/made_findings.h"

namespace tacho {
namespace {

// Steps of 100 ms, recorded by the worker; 13 of 16 cores in use.
RunFindings on_the_cpu(double input_s) {
  RunFindings run = made_run();
  run.record.steps.seconds.assign(50, 0.1);
  run.record.steps.input_seconds.assign(50, input_s);
  run.record.steps.loss.assign(50, 1.0);
  run.used->mean_cores = 13;
  return run;
}

TEST(HostAdvice, ReportsThatNoStepsWereFound) {
  const auto all = advise(made_run());
  ASSERT_FALSE(all.empty());
  RunFindings bare;
  EXPECT_EQ(advise(bare)[0].key, "none");
  EXPECT_EQ(advise(bare)[0].evidence, "no step was recorded or found in this run");
}

TEST(HostAdvice, RecommendsLoaderThreadsIfTrainingWaitsForInput) {
  const auto all = advise(on_the_cpu(0.03));
  EXPECT_EQ(all[0].key, "input");
  EXPECT_NEAR(all[0].saving, 0.3, 1e-12);
  EXPECT_NE(all[0].action.find("--workers"), std::string::npos);
}

TEST(HostAdvice, OnBusyCoresMoreWorkersSaveHalf) {
  RunFindings run = on_the_cpu(0.03);
  run.used->mean_cores = 15.8;
  EXPECT_NEAR(find_advice(advise(run), "input")->saving, 0.15, 1e-12);
}

TEST(HostAdvice, RecommendsThreadsForIdleCoresButNotForShortSteps) {
  RunFindings run = on_the_cpu(0);
  run.used->mean_cores = 2.4;
  EXPECT_EQ(find_advice(advise(run), "threads"), nullptr);  // its thread count is unknown
  run.record.started.emplace();
  run.record.started->paths.threads = 4;
  EXPECT_NEAR(find_advice(advise(run), "threads")->saving, 0.75, 1e-12);
  run.record.steps.seconds.assign(50, 1e-3);
  EXPECT_EQ(find_advice(advise(run), "threads"), nullptr);
}

TEST(HostAdvice, CoresUsedByAnotherJobAreNotIdle) {
  RunFindings run = on_the_cpu(0);
  run.used->mean_cores = 2.4;
  run.used->cpu_stalled_share = 0.4;
  run.record.started.emplace();
  run.record.started->paths.threads = 4;
  const auto all = advise(run);
  EXPECT_EQ(find_advice(all, "threads"), nullptr);
  EXPECT_NE(find_advice(all, "contention"), nullptr);
}

TEST(HostAdvice, IgnoresIdleCoresOfAGpuRun) {
  EXPECT_EQ(find_advice(advise(made_gpu_run()), "threads"), nullptr);
}

TEST(HostAdvice, NamesTheBlasOfSlowMatrixProducts) {
  RunFindings run = on_the_cpu(0);
  run.record.started.emplace();
  run.record.started->paths.threads = 2;
  run.record.started->paths.product_gflops = 4;
  run.record.started->paths.blas = "reference BLAS";
  const auto all = advise(run);
  EXPECT_EQ(all[0].key, "blas");
  EXPECT_NE(all[0].evidence.find("2.0 GFLOP/s per thread with reference BLAS"), std::string::npos);
  run.used->cpu_stalled_share = 0.8;
  EXPECT_EQ(find_advice(advise(run), "blas"), nullptr);
}

TEST(HostAdvice, ComparesTheMostExpensiveOperatorWithTheMachinesPeak) {
  RunFindings run = on_the_cpu(0);
  OpTrace ops;
  ops.step_s.assign(10, 0.1);
  ops.peak_flops = 100e9;
  ops.peak_bytes_per_s = 10e9;
  ops.rows.push_back({.name = "aten::addmm",
                      .calls = 10,
                      .self_s = 0.5,
                      .total_s = 0.5,
                      .flops = 7.5e9,
                      .bytes = 1e6});
  run.ops = ops;
  const auto all = advise(run);
  const Advice* advice = find_advice(all, "operator");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->saving, 0.5 * 0.75, 1e-9);  // 15 % of the peak, 60 % is good
  EXPECT_NE(advice->evidence.find("50 % of a step, at 15 % of the compute limit"),
            std::string::npos)
      << advice->evidence;
}

TEST(HostAdvice, ReportsReasonAndShareOfThrottledClocks) {
  RunFindings run = made_gpu_run();
  GpuSummary gpu;
  gpu.mean_busy = 1;
  gpu.mean_sm_mhz = 1200;
  gpu.sm_share_of_max = 0.6;
  gpu.throttled_by = {{"thermal", 0.9}};
  run.used->gpus.push_back(gpu);
  const auto all = advise(run);
  const Advice* advice = find_advice(all, "clocks");
  ASSERT_NE(advice, nullptr);
  EXPECT_NEAR(advice->saving, 0.18, 1e-12);
  EXPECT_EQ(advice->evidence, "1200 MHz, 60 % of the maximum; thermal 90 % of the time");
}

struct PressureCase {
  const char* key;
  std::optional<double> UsageSummary::*share;
};

TEST(HostAdvice, EveryPressureHasItsAdvice) {
  for (const PressureCase& kind : {PressureCase{"quota", &UsageSummary::throttled_share},
                                   PressureCase{"memory", &UsageSummary::memory_stalled_share},
                                   PressureCase{"contention", &UsageSummary::cpu_stalled_share},
                                   PressureCase{"disk", &UsageSummary::io_stalled_share}}) {
    RunFindings run = on_the_cpu(0);
    (*run.used).*kind.share = 0.4;
    const auto all = advise(run);
    ASSERT_NE(find_advice(all, kind.key), nullptr) << kind.key;
    EXPECT_NEAR(find_advice(all, kind.key)->saving, 0.2, 1e-12) << kind.key;
    (*run.used).*kind.share = 0.05;
    EXPECT_EQ(find_advice(advise(run), kind.key), nullptr) << kind.key;
  }
}

// The step may have waited for one of its 20 threads or for all of them: 5 % to 100 %.
TEST(HostAdvice, GivesNoSavingForAMachineThatIsAlwaysBusy) {
  RunFindings run = on_the_cpu(0);
  run.used->cpu_stalled_share = 1;
  EXPECT_EQ(advise(run)[0].key, "none");
}

TEST(HostAdvice, NoIntervalStartsAtZeroOrIsTooWide) {
  for (const double stalled : {0.1, 0.4, 0.7, 1.0}) {
    RunFindings run = on_the_cpu(0.03);
    run.used->cpu_stalled_share = run.used->io_stalled_share = stalled;
    for (const Advice& advice : advise(run)) {
      if (advice.key == "none") continue;
      EXPECT_GT(advice.range.low, 0) << advice.key;
      EXPECT_LE(advice.range.high - advice.range.low, 0.6) << advice.key;
    }
  }
}

// Input 60 %, memory 30 %, storage 30 %, quota 30 %: 150 % if they were simply added.
TEST(HostAdvice, SavingsAddUpToLessThanOne) {
  RunFindings run = on_the_cpu(0.06);
  run.used->memory_stalled_share = run.used->io_stalled_share = 0.6;
  run.used->throttled_share = 0.6;
  const auto all = advise(run);
  ASSERT_EQ(all.size(), 4U);
  double sum = 0;
  for (const Advice& advice : all) sum += advice.saving;
  EXPECT_NEAR(sum, 1 - 0.4 * 0.7 * 0.7 * 0.7, 1e-9);
  EXPECT_NEAR(all[0].saving, 0.6, 1e-9);
  EXPECT_NEAR(all[1].saving, 0.4 * 0.3, 1e-9);
}

TEST(HostAdvice, EstimatesTheCostOfSwappingFromPageFaults) {
  RunFindings run = on_the_cpu(0);
  run.used->peak_swapped_bytes = std::int64_t{1} << 30;
  run.used->major_faults = 20000;
  run.used->seconds = 10;
  EXPECT_NEAR(find_advice(advise(run), "swap")->saving, 0.2, 1e-12);
}

}  // namespace
}  // namespace tacho
