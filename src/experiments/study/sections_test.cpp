#include "experiments/study/sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "core/store/test_runs.h"
#include "core/store/test_sweeps.h"
#include "experiments/compare/made_comparison.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

template <class T>
std::vector<const T*> all_of(const std::vector<Block>& blocks) {
  std::vector<const T*> found;
  for (const Block& block : blocks) {
    if (const T* one = std::get_if<T>(&block)) found.push_back(one);
  }
  return found;
}

TEST(ComparisonBlocks, ShowDifferencesAsTextTableAndChart) {
  const auto blocks = comparison_blocks(made_comparison(), {"wall_s", "peak_memory"});
  const auto words = all_of<Paragraph>(blocks);
  EXPECT_THAT(words[0]->text, StartsWith("wall: podman at batch 32: slower by"));
  EXPECT_EQ(words[1]->text, "peak memory: no difference in 2 of 2.");
  const auto tables = all_of<DocumentTable>(blocks);
  ASSERT_EQ(tables.size(), 2);
  ASSERT_EQ(tables[0]->rows.size(), 4);
  EXPECT_THAT(tables[0]->rows[0], ElementsAre("batch 32", "bare", "12", testing::_, "286 MiB"));
  EXPECT_EQ(tables[1]->rows[0][0], "sgemm<128>");
  const auto charts = all_of<Chart>(blocks);
  ASSERT_EQ(charts.size(), 2);
  const auto& chart = std::get<IntervalChart>(*charts[0]);
  ASSERT_EQ(chart.rows.size(), 6);
  EXPECT_TRUE(chart.rows[0].heading);
  EXPECT_NEAR(*chart.rows[2].ratio, 1.05, 0.01);
  EXPECT_EQ(chart.rows[2].tone, IntervalChart::Tone::bad);
}

TEST(ComparisonBlocks, ShowBothValuesOfALargeDifference) {
  Comparison comparison = made_comparison();
  const auto finding = std::ranges::find_if(
      comparison.findings, [](const Finding& one) { return one.metric == "wall_s"; });
  finding->evidence.ratio->value = 4.5;
  const auto blocks = comparison_blocks(comparison, {"wall_s"});
  EXPECT_THAT(
      all_of<Paragraph>(blocks)[0]->text,
      testing::MatchesRegex("wall: podman at batch 32: [0-9.]+ m?s instead of [0-9.]+ m?s;.*"));
}

TEST(ComparisonBlocks, AreShortForASinglePair) {
  Comparison comparison = made_comparison();
  std::erase_if(comparison.findings,
                [](const Finding& one) { return one.metric != "peak_memory" || one.base != 0; });
  const auto blocks = comparison_blocks(comparison, {"peak_memory"});
  EXPECT_EQ(all_of<Paragraph>(blocks)[0]->text, "peak memory: no difference.");
}

TEST(ComparisonBlocks, ShowEveryMetricByDefault) {
  const auto blocks = comparison_blocks(made_comparison(), {});
  EXPECT_EQ(all_of<DocumentTable>(blocks)[0]->headings.size(), 3 + 3);
}

TEST(SweepBlocks, GroupRepetitionsAndDrawOneLinePerModel) {
  std::vector<SweptRun> runs;
  for (const double speed : {100.0, 300.0, 50.0}) {
    const int batch = speed == 50 ? 64 : 32;
    SweptRun run{.task = tasks_of_batches({batch})[0], .run = RunRow{.outcome = Outcome::ok}};
    run.task.configuration.set("batch", std::to_string(batch));
    for (std::size_t i = 0; i < metric::kAll.size(); ++i) {
      if (metric::kAll[i].key == "samples_per_s") run.run->metrics[i] = speed;
    }
    runs.push_back(std::move(run));
  }
  const auto blocks =
      sweep_blocks(runs, {"samples_per_s"}, SweepPicture{"batch", "samples_per_s", "model"});
  const auto tables = all_of<DocumentTable>(blocks);
  EXPECT_THAT(tables[0]->rows,
              ElementsAre(ElementsAre("32", "2 ok", "200 /s"), ElementsAre("64", "ok", "50 /s")));
  const auto& chart = std::get<LinesChart>(*all_of<Chart>(blocks)[0]);
  ASSERT_EQ(chart.lines.size(), 1);
  EXPECT_EQ(chart.lines[0].name, "lenet5");
  ASSERT_EQ(chart.lines[0].points.size(), 2);
  EXPECT_EQ(chart.lines[0].points[0].y, 200);
}

TEST(RunBlocks, ShowWhatTheRunHas) {
  const auto blocks = run_blocks(finished_run("k", 0.25), {"top1", "gpu_busy", "wall_s"});
  const auto tables = all_of<DocumentTable>(blocks);
  ASSERT_EQ(tables.size(), 1);
  ASSERT_EQ(tables[0]->rows.size(), 2);
  EXPECT_EQ(tables[0]->rows[0][1], "25.0 %");
  RunRecord failed = finished_run("k");
  failed.outcome = Outcome::failed;
  failed.reason = "the disk is full";
  EXPECT_THAT(all_of<Paragraph>(run_blocks(failed, {}))[0]->text, HasSubstr("the disk is full"));
}

}  // namespace
}  // namespace tacho
