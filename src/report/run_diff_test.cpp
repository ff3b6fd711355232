#include "report/run_diff.h"

#include <gtest/gtest.h>

#include "report/made_findings.h"

namespace tacho {
namespace {

const DiffRow* find(const RunDiff& diff, std::string_view name) {
  for (const DiffRow& row : diff.rows) {
    if (row.name == name) return &row;
  }
  return nullptr;
}

KernelRow kernel(const char* name, double seconds_a_step) {
  KernelRow row;
  row.time.name = name;
  row.time.count = 100;
  row.time.total_s = 100 * seconds_a_step;
  row.count_a_step = 1;
  row.seconds_a_step = seconds_a_step;
  return row;
}

RunFindings with(std::vector<KernelRow> kernels, std::int64_t id) {
  RunFindings run = made_gpu_run();
  run.id = id;
  run.processes.front().findings.tables.kernels = std::move(kernels);
  return run;
}

TEST(RunDiff, TellsNewGoneSlowerFasterAndSame) {
  const RunDiff result = diff(
      with({kernel("a", 1e-3), kernel("b", 2e-3), kernel("c", 3e-3), kernel("d", 4e-3)}, 1),
      with({kernel("b", 3e-3), kernel("c", 1e-3), kernel("d", 4.01e-3), kernel("e", 5e-3)}, 2));
  EXPECT_TRUE(result.by_step);
  EXPECT_EQ(find(result, "a")->change, Change::gone);
  EXPECT_EQ(find(result, "b")->change, Change::slower);
  EXPECT_EQ(find(result, "c")->change, Change::faster);
  EXPECT_EQ(find(result, "d")->change, Change::same);
  EXPECT_EQ(find(result, "e")->change, Change::appeared);
  EXPECT_EQ(result.rows.front().name, "e");  // the greatest difference
}

TEST(RunDiff, ComparesStepsAndTheirParts) {
  RunFindings slow = made_gpu_run();
  slow.processes.front().findings.parts.input_wait = 0.01;
  slow.processes.front().findings.steps.period_s = 0.03;
  const RunDiff result = diff(slow, made_gpu_run());
  ASSERT_GE(result.figures.size(), 2U);
  EXPECT_EQ(result.figures[0].name, "step");
  EXPECT_DOUBLE_EQ(result.figures[0].before, 0.03);
  EXPECT_DOUBLE_EQ(result.figures[0].after, 0.02);
  EXPECT_EQ(result.figures[1].name, "input wait");
  EXPECT_EQ(result.figures[1].after, 0);
}

TEST(RunDiff, ComparesOperatorsByNameWhateverTheirShapes) {
  RunFindings before = made_run();
  before.ops.emplace();
  before.ops->step_s = {1, 1};
  before.ops->rows = {{.name = "aten::mm", .shapes = "[1]", .calls = 2, .self_s = 1}};
  RunFindings after = before;
  after.ops->rows = {{.name = "aten::mm", .shapes = "[2]", .calls = 2, .self_s = 2}};
  const RunDiff result = diff(before, after);
  ASSERT_EQ(result.rows.size(), 1U);
  EXPECT_EQ(result.rows[0].change, Change::slower);
  EXPECT_DOUBLE_EQ(result.rows[0].before_s, 0.5);
}

TEST(RunDiff, OfRunsThatHaveNothingInCommonSaysWhatIsMissing) {
  RunFindings bare;
  bare.id = 3;
  bare.absent.push_back({"GPU trace", "this run used no GPU"});
  const RunDiff result = diff(made_gpu_run(), bare);
  EXPECT_TRUE(result.rows.empty());
  EXPECT_EQ(result.notes.front(), "run 3: no GPU trace: this run used no GPU");
}

TEST(RunDiff, TextAndJsonShowTheSameRows) {
  const RunDiff result = diff(with({kernel("a\033[31m", 1e-3)}, 1), with({kernel("b", 2e-3)}, 2));
  const std::string text = diff_text(result, Terminal(-1));
  EXPECT_NE(text.find("run 1 to run 2"), std::string::npos);
  EXPECT_NE(text.find("a?[31m"), std::string::npos) << text;
  EXPECT_EQ(diff_json(result)["rows"].size(), result.rows.size());
  EXPECT_EQ(diff_json(result)["rows"][0]["change"], "new");
}

}  // namespace
}  // namespace tacho
