#include "experiments/runner/comparer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "experiments/compare/simulated.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Runs with known times that take no real time, and may fail.
class FakeLab : public CompareView {
 public:
  FakeLab(std::size_t variants, StopRule rule) {
    plan.seed = 7;
    plan.rule = rule;
    for (std::size_t i = 0; i < variants; ++i) {
      PlannedVariant variant;
      variant.shown.name = std::string(1, static_cast<char>('a' + i));
      plan.variants.push_back(variant);
      seconds[variant.shown.name] = 1;
    }
    comparison = new_comparison(plan);
  }

  Result<void> go() {
    const CompareHooks hooks{
        .make_run = [this](const PlannedVariant& variant, RunView&) { return run(variant); },
        .keep =
            [this](const Comparison& so_far) {
              kept.push_back(so_far.runs.size());
              return Result<void>();
            },
        .now = [this] { return clock; },
        .interrupts = interrupts};
    return compare(plan, hooks, *this, comparison);
  }

  Result<FinishedRun> run(const PlannedVariant& variant) {
    const std::string& name = variant.shown.name;
    made += name;
    const int count = ++counts[name];
    const double took = seconds[name] * machine.run();
    clock += Seconds(took);
    if (before_end) before_end();
    FinishedRun finished{static_cast<std::int64_t>(made.size()), {}};
    finished.record.order.key = "run-" + std::to_string(finished.id);
    finished.record.outcome = Outcome::ok;
    finished.record.order.command = CommandSpec{};
    finished.record.totals.wall_seconds = took;
    const bool fails = fails_at.contains({name, count});
    if (fails || interrupts > 0) {
      finished.record.outcome = fails ? Outcome::failed : Outcome::cancelled;
      finished.record.reason = "exit code 3";
    }
    if (busy_in(made.size())) finished.record.disturbed = {"other programs took 40 %"};
    if (name == missing) return Error{ErrorCode::unavailable, "podman is not installed"};
    return finished;
  }

  void run_begins(const Comparison&, const ComparePoint& point) override { last_point = point; }
  void note(const std::string& sentence) override { notes.push_back(sentence); }
  void started(std::int64_t, const RunOrder&) override {}
  void event(const Event&) override {}
  void tick() override {}

  ComparePlan plan;
  Comparison comparison;
  std::map<std::string, double> seconds;
  SimulatedMachine machine{3, Noise::normal, 0.002};
  std::map<std::string, int> counts;
  std::set<std::pair<std::string, int>> fails_at;  // the variant's n-th run
  std::string missing;
  std::function<bool(std::size_t)> busy_in = [](std::size_t) { return false; };  // the n-th run
  std::function<void()> before_end;
  Seconds clock{0};
  std::atomic<int> interrupts{0};
  std::string made;  // one letter per run
  std::vector<std::size_t> kept;
  std::vector<std::string> notes;
  ComparePoint last_point;
};

StopRule repeats(std::int64_t fewest, std::int64_t most, double resolution = 0.01) {
  return {.resolution = resolution, .min_repeats = fewest, .max_repeats = most};
}

TEST(Comparer, RunsEachVariantOncePerBlockInDifferentOrders) {
  FakeLab lab(3, repeats(6, 6));
  ASSERT_TRUE(lab.go().ok());
  ASSERT_EQ(lab.made.size(), 21U);
  std::set<std::string> orders;
  for (std::size_t block = 0; block < 7; ++block) {
    std::string order = lab.made.substr(3 * block, 3);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, "abc");
  }
  EXPECT_GT(orders.size(), 2U);
}

TEST(Comparer, StoresTheWarmUpWithoutCountingIt) {
  FakeLab lab(2, repeats(5, 5));
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.runs.size(), 12U);
  EXPECT_EQ(sample_of(lab.comparison, 0, "wall_s").values.size(), 5U);
  EXPECT_EQ(lab.comparison.runs.front().block, kWarmUpBlock);
  EXPECT_TRUE(lab.comparison.runs.front().warm_up);
}

TEST(Comparer, MeasuresAKnownDifferenceAndTheNoise) {
  FakeLab lab(2, repeats(10, 10));
  lab.seconds["b"] = 1.05;
  ASSERT_TRUE(lab.go().ok());
  ASSERT_EQ(lab.comparison.findings.size(), 1U);
  const Finding& finding = lab.comparison.findings.front();
  EXPECT_EQ(finding.decision.verdict, Verdict::higher);
  EXPECT_NEAR(finding.evidence.ratio->value, 1.05, 0.005);
  EXPECT_TRUE(finding.evidence.ratio->paired);
  EXPECT_NEAR(*lab.comparison.noise, 0.002, 0.001);
}

TEST(Comparer, StopsWhenTheIntervalsAreNarrow) {
  FakeLab lab(2, repeats(5, 100));
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.stopped, StopReason::resolution);
  EXPECT_LT(lab.made.size(), 40U);
}

TEST(Comparer, StopsWhenThereIsNoTimeForAnotherBlock) {
  StopRule rule = repeats(5, 100, 1e-6);
  rule.max_time = Seconds(20.5);
  FakeLab lab(2, rule);
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.stopped, StopReason::time);
  EXPECT_EQ(lab.made.size(), 20U);
  EXPECT_LE(lab.clock.count(), 20.5);
}

TEST(Comparer, StopsAtTheMaximumOfRepeats) {
  FakeLab lab(2, repeats(2, 4, 1e-6));
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.stopped, StopReason::repeats);
  EXPECT_EQ(lab.made.size(), 10U);
}

TEST(Comparer, StoresTheComparisonAfterEveryBlock) {
  FakeLab lab(2, repeats(3, 3));
  ASSERT_TRUE(lab.go().ok());
  EXPECT_THAT(lab.kept, ElementsAre(2, 4, 6, 8));
}

TEST(Comparer, ExcludesAFailedRunAndContinues) {
  FakeLab lab(2, repeats(5, 5, 1e-6));
  lab.fails_at = {{"b", 3}};
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.stopped, StopReason::repeats);
  EXPECT_EQ(sample_of(lab.comparison, 0, "wall_s").values.size(), 5U);
  EXPECT_EQ(sample_of(lab.comparison, 1, "wall_s").values.size(), 4U);
  ASSERT_EQ(lab.notes.size(), 1U);
  EXPECT_THAT(lab.notes.front(), HasSubstr("b, block 2: run "));
  EXPECT_THAT(lab.notes.front(), HasSubstr("ended with failed: exit code 3"));
  EXPECT_EQ(lab.comparison.notes, lab.notes);
}

TEST(Comparer, GivesUpAVariantWhoseWarmUpFailsAndKeepsTheOthers) {
  FakeLab lab(3, repeats(4, 4));
  lab.missing = "b";
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.counts["b"], 1);
  EXPECT_EQ(lab.counts["a"], 5);
  EXPECT_EQ(lab.counts["c"], 5);
  EXPECT_THAT(lab.notes.front(),
              HasSubstr("b, warm-up: podman is not installed; this variant is given up"));
}

TEST(Comparer, UsesTheNextVariantAsBaseIfTheFirstCannotRun) {
  FakeLab lab(3, repeats(4, 4));
  lab.missing = "a";
  ASSERT_TRUE(lab.go().ok());
  ASSERT_EQ(lab.comparison.findings.size(), 1U);
  EXPECT_EQ(lab.comparison.findings.front().base, 1U);
  EXPECT_EQ(lab.comparison.findings.front().variant, 2U);
}

TEST(Comparer, GivesUpAVariantThatFailsTwiceInARow) {
  FakeLab lab(3, repeats(8, 8));
  lab.fails_at = {{"c", 3}, {"c", 5}, {"c", 6}};
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.counts["c"], 6);
  EXPECT_EQ(lab.counts["a"], 9);
}

TEST(Comparer, EndsWhenFewerThanTwoVariantsAreLeft) {
  FakeLab lab(2, repeats(10, 10));
  lab.missing = "b";
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.stopped, StopReason::failures);
  EXPECT_EQ(lab.made.size(), 2U);
}

TEST(Comparer, CtrlCKeepsTheRunsSoFarAndBlamesNoVariant) {
  FakeLab lab(2, repeats(10, 10));
  lab.before_end = [&lab] { lab.interrupts = lab.made.size() == 8 ? 1 : 0; };
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.stopped, StopReason::user);
  EXPECT_EQ(lab.made.size(), 8U);
  EXPECT_EQ(lab.comparison.runs.size(), 7U);
  EXPECT_TRUE(lab.notes.empty());
  EXPECT_EQ(lab.kept.back(), 7U);
  EXPECT_EQ(lab.comparison.findings.size(), 1U);
}

TEST(Comparer, CtrlCBeforeTheFirstRunBlamesNoVariantEither) {
  FakeLab lab(2, repeats(3, 3));
  lab.interrupts = 1;  // during the checks before the first run
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.stopped, StopReason::user);
  EXPECT_EQ(lab.made, "");
  EXPECT_TRUE(lab.notes.empty());
  lab.interrupts = 0;
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.runs.size(), 8U);
}

TEST(Comparer, ResumesTheInterruptedBlock) {
  FakeLab whole(3, repeats(6, 6, 1e-6));
  ASSERT_TRUE(whole.go().ok());
  FakeLab lab(3, repeats(6, 6, 1e-6));
  lab.before_end = [&lab] { lab.interrupts = lab.made.size() == 8 ? 1 : 0; };
  ASSERT_TRUE(lab.go().ok());
  lab.before_end = nullptr;
  lab.interrupts = 0;
  // As read from the store.
  lab.comparison = *comparison_from_json(to_json(lab.comparison));
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.stopped, StopReason::repeats);
  EXPECT_EQ(lab.comparison.runs.size(), whole.comparison.runs.size());
  // Only the run that Ctrl-C ended is repeated.
  EXPECT_EQ(lab.made.substr(0, 7) + lab.made.substr(8), whole.made);
}

TEST(Comparer, ReportsItsProgress) {
  FakeLab lab(2, repeats(5, 5));
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.last_point.block, 5);
  EXPECT_EQ(lab.last_point.last_block, 5);
  ASSERT_TRUE(lab.last_point.left);
  EXPECT_NEAR(lab.last_point.left->count(), 2, 0.1);
  EXPECT_TRUE(lab.last_point.widest);
}

TEST(Comparer, RepeatsDisturbedBlocksAndNamesTheirRuns) {
  FakeLab lab(2, repeats(5, 5, 1e-6));
  lab.busy_in = [](std::size_t run) { return run == 4 || run == 9; };
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.made.size(), 16U);  // warm-up, five that count, two that do not
  EXPECT_EQ(sample_of(lab.comparison, 0, "wall_s").values.size(), 5U);
  EXPECT_EQ(lab.comparison.stopped, StopReason::repeats);
  ASSERT_EQ(lab.notes.size(), 2U);
  EXPECT_THAT(lab.notes[0], HasSubstr("run 4 ("));
  EXPECT_THAT(lab.notes[0], HasSubstr("block 1) does not count: other programs took 40 %"));
}

TEST(Comparer, EndsOnAMachineThatStaysBusyAndClaimsNothing) {
  FakeLab lab(2, repeats(5, 50));
  lab.seconds["b"] = 2;
  lab.busy_in = [](std::size_t) { return true; };
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(lab.comparison.stopped, StopReason::busy);
  EXPECT_EQ(lab.made.size(), 12U);
  ASSERT_FALSE(lab.comparison.findings.empty());
  EXPECT_EQ(lab.comparison.findings.front().words,
            "no result: the machine was busy in 10 of 10 runs");
}

TEST(Comparer, CountsDisturbedRunsOnRequest) {
  FakeLab lab(2, repeats(5, 5));
  lab.plan.include_disturbed = true;
  lab.busy_in = [](std::size_t) { return true; };
  ASSERT_TRUE(lab.go().ok());
  EXPECT_EQ(sample_of(lab.comparison, 0, "wall_s").values.size(), 5U);
}

}  // namespace
}  // namespace tacho
