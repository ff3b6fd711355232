#include "tracing/report/run_diff.h"

#include <gtest/gtest.h>

#include "tracing/report/made_findings.h"

namespace tacho {
namespace {

RunFindings with_kernel(const char* name, double seconds, std::int64_t id) {
  RunFindings run = made_gpu_run();
  run.id = id;
  KernelRow& row = run.processes.front().findings.tables.kernels.front();
  row.time.name = name;
  row.seconds_per_step = seconds;
  row.time.total_s = 100 * seconds;
  return run;
}

TEST(RunDiff, ComparesStepsAndTheirParts) {
  RunFindings slow = made_gpu_run();
  slow.processes.front().findings.parts.input_wait = 0.01;
  slow.processes.front().findings.steps.period_s = 0.03;
  const RunDiff result = diff(slow, made_gpu_run());
  ASSERT_GE(result.figures.size(), 2U);
  EXPECT_EQ(result.figures[0].name, "step");
  EXPECT_DOUBLE_EQ(result.figures[0].before_s, 0.03);
  EXPECT_DOUBLE_EQ(result.figures[0].after_s, 0.02);
  EXPECT_EQ(result.figures[1].name, "input wait");
  EXPECT_EQ(result.figures[1].after_s, 0);
}

TEST(RunDiff, ComparesKernelsAndOperatorsIfBothRunsHaveThem) {
  const RunFindings run = made_gpu_run();
  EXPECT_TRUE(diff(run, run).kernels.has_value());
  EXPECT_FALSE(diff(run, run).operators.has_value());
  EXPECT_FALSE(diff(run, made_run()).kernels.has_value());
}

TEST(RunDiff, ReportsMissingParts) {
  RunFindings bare;
  bare.id = 3;
  bare.absent.push_back({"GPU trace", "this run used no GPU"});
  const RunDiff result = diff(made_gpu_run(), bare);
  EXPECT_EQ(result.notes.front(), "run 3: no GPU trace: this run used no GPU");
  EXPECT_TRUE(diff_json(result)["kernels"].is_null());
}

TEST(RunDiff, TextAndJsonNameTheSameKernels) {
  const RunDiff result = diff(with_kernel("a\033[31m", 1e-3, 1), with_kernel("b", 2e-3, 2));
  const std::string text = diff_text(result, Terminal(-1));
  EXPECT_NE(text.find("run 1 to run 2"), std::string::npos);
  EXPECT_NE(text.find("a?[31m"), std::string::npos) << text;
  const Json json = diff_json(result);
  EXPECT_EQ(json["kernels"]["rows"].size(), 2U);
  EXPECT_EQ(json["kernels"]["rows"][0]["change"], "new");
}

}  // namespace
}  // namespace tacho
