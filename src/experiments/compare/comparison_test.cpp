#include "experiments/compare/comparison.h"

#include <gtest/gtest.h>

#include "base/mutation.h"
#include "experiments/compare/made_comparison.h"

namespace tacho {
namespace {

TEST(Comparison, ComparesVariantsWithTheFirstOfTheirGroup) {
  const Comparison comparison = made_comparison();
  // Two groups times two measured metrics; top-1 was not measured.
  ASSERT_EQ(comparison.findings.size(), 4U);
  for (const Finding& finding : comparison.findings) {
    EXPECT_EQ(finding.base + 1, finding.variant);
    ASSERT_TRUE(finding.evidence.ratio);
    EXPECT_TRUE(finding.evidence.ratio->paired);
    EXPECT_EQ(finding.evidence.ratio->first_count, 12U);  // the warm-up run does not count
  }
  const Finding& wall = comparison.findings.front();
  EXPECT_EQ(wall.decision.verdict, Verdict::higher);
  EXPECT_EQ(wall.words.rfind("slower by ", 0), 0U) << wall.words;
  EXPECT_EQ(is_good(comparison, wall), false);
  const Finding& memory = comparison.findings.back();
  EXPECT_EQ(memory.words, "no difference: 0.0 % [0.0, 0.0]");
  EXPECT_EQ(is_good(comparison, memory), std::nullopt);
  EXPECT_NEAR(*comparison.noise, 0.01, 0.008);
}

TEST(Comparison, RunsWithoutBlocksAreComparedUnpaired) {
  Comparison comparison = made_comparison();
  comparison.runs.at(2).block.reset();
  judge(comparison);
  EXPECT_FALSE(comparison.findings.front().evidence.ratio->paired &&
               comparison.findings.at(1).evidence.ratio->paired);
}

TEST(Comparison, JudgingAgainChangesNothing) {
  Comparison comparison = made_comparison();
  const Json before = to_json(comparison);
  judge(comparison);
  EXPECT_EQ(to_json(comparison), before);
}

TEST(ComparisonJson, RoundTrips) {
  const Comparison comparison = made_comparison();
  const std::string text = json_text(to_json(comparison));
  const auto read = comparison_from_json(*parse_json(text));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(json_text(to_json(*read)), text);
}

TEST(ComparisonJson, RoundTripsWhenEmpty) {
  const auto read = comparison_from_json(to_json(Comparison{}));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->findings.empty());
}

std::string refused(const std::function<void(Json&)>& change) {
  Json json = to_json(made_comparison());
  change(json);
  const auto read = comparison_from_json(json);
  return read.ok() ? "" : read.error().message;
}

TEST(ComparisonJson, RejectsInvalidInput) {
  EXPECT_EQ(refused([](Json& json) { json["runs"][1]["variant"] = 9; }),
            "comparison: runs 1: variant 9 does not exist; there are 4");
  EXPECT_EQ(refused([](Json& json) { json["findings"][0]["metric"] = "speed"; }),
            "comparison: findings 0: metric 'speed' is not part of the comparison");
  EXPECT_EQ(refused([](Json& json) { json["runs"][0]["values"]["wall_s"] = "4"; }),
            "comparison: runs 0: 'wall_s': not a number");
  EXPECT_EQ(refused([](Json& json) { json["findings"][0]["ratio"].erase("low"); }),
            "comparison: findings 0: ratio: the interval lacks an end");
  EXPECT_EQ(refused([](Json& json) { json["tables"][0]["rows"][0].push_back("x"); }),
            "comparison: tables 0: the row's length differs from the header's");
  EXPECT_EQ(refused([](Json& json) { json["form"] = 2; }),
            "comparison: written by a newer version of Tacho; update Tacho");
  EXPECT_NE(refused([](Json& json) { json["sead"] = 2; }), "");
  EXPECT_NE(refused([](Json& json) { json.erase("stopped"); }), "");
  EXPECT_NE(refused([](Json& json) { json["level"] = 1; }), "");
}

TEST(ComparisonJson, SurvivesDamage) {
  const std::string text = json_text(to_json(made_comparison()));
  Random random(1, 1);
  int read_anyway = 0;
  for (int i = 0; i < 2000; ++i) {
    const auto json = parse_json(mutated(text, random));
    if (!json.ok()) continue;
    auto read = comparison_from_json(*json);
    if (!read.ok()) continue;
    ++read_anyway;
    judge(*read);
  }
  EXPECT_GT(read_anyway, 0);
}

TEST(Comparison, ADisturbedRunExcludesItsBlockInItsGroup) {
  Comparison comparison = made_comparison();
  ComparedRun& run = comparison.runs[4];  // block 2 of the first group
  ASSERT_EQ(run.block, 2);
  run.disturbed = "other programs took 40 % of the processors";
  judge(comparison);
  EXPECT_EQ(sample_of(comparison, 0, "wall_s").values.size(), 11U);
  EXPECT_EQ(sample_of(comparison, 1, "wall_s").values.size(), 11U);
  EXPECT_EQ(sample_of(comparison, 2, "wall_s").values.size(), 12U);
  EXPECT_EQ(disturbed_runs(comparison), 1U);
  EXPECT_EQ(comparison.findings.front().decision.verdict, Verdict::higher);
  const auto back = comparison_from_json(to_json(comparison));
  ASSERT_TRUE(back.ok());
  EXPECT_EQ(back->runs[4].disturbed, comparison.runs[4].disturbed);
}

TEST(Comparison, IsUnclearIfMostBlocksWereDisturbed) {
  Comparison comparison = made_comparison();
  std::size_t disturbed = 0;
  for (ComparedRun& run : comparison.runs) {
    const bool first_of_group = run.variant == 0;
    if (first_of_group && !run.warm_up && disturbed < 7) {
      run.disturbed = "other programs took 40 % of the processors";
      ++disturbed;
    }
  }
  judge(comparison);
  const Finding& finding = comparison.findings.front();
  EXPECT_EQ(finding.decision.verdict, Verdict::unclear);
  EXPECT_EQ(finding.words, "no result: the machine was busy in 7 of 24 runs");
  EXPECT_FALSE(finding.evidence.ratio);
}

}  // namespace
}  // namespace tacho
