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
class FakeRunner : public CompareView {
 public:
  FakeRunner(std::size_t variants, StopRule rule) {
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
  FakeRunner runner(3, repeats(6, 6));
  ASSERT_TRUE(runner.go().ok());
  ASSERT_EQ(runner.made.size(), 21U);
  std::set<std::string> orders;
  for (std::size_t block = 0; block < 7; ++block) {
    std::string order = runner.made.substr(3 * block, 3);
    orders.insert(order);
    std::sort(order.begin(), order.end());
    EXPECT_EQ(order, "abc");
  }
  EXPECT_GT(orders.size(), 2U);
}

TEST(Comparer, StoresTheWarmUpWithoutCountingIt) {
  FakeRunner runner(2, repeats(5, 5));
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.runs.size(), 12U);
  EXPECT_EQ(sample_of(runner.comparison, 0, "wall_s").values.size(), 5U);
  EXPECT_EQ(runner.comparison.runs.front().block, kWarmUpBlock);
  EXPECT_TRUE(runner.comparison.runs.front().warm_up);
}

TEST(Comparer, MeasuresAKnownDifferenceAndTheNoise) {
  FakeRunner runner(2, repeats(10, 10));
  runner.seconds["b"] = 1.05;
  ASSERT_TRUE(runner.go().ok());
  ASSERT_EQ(runner.comparison.findings.size(), 1U);
  const Finding& finding = runner.comparison.findings.front();
  EXPECT_EQ(finding.decision.verdict, Verdict::higher);
  EXPECT_NEAR(finding.evidence.ratio->value, 1.05, 0.005);
  EXPECT_TRUE(finding.evidence.ratio->paired);
  EXPECT_NEAR(*runner.comparison.noise, 0.002, 0.001);
}

TEST(Comparer, StopsWhenTheIntervalsAreNarrow) {
  FakeRunner runner(2, repeats(5, 100));
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.stopped, StopReason::resolution);
  EXPECT_LT(runner.made.size(), 40U);
}

TEST(Comparer, StopsWhenThereIsNoTimeForAnotherBlock) {
  StopRule rule = repeats(5, 100, 1e-6);
  rule.max_time = Seconds(20.5);
  FakeRunner runner(2, rule);
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.stopped, StopReason::time);
  EXPECT_EQ(runner.made.size(), 20U);
  EXPECT_LE(runner.clock.count(), 20.5);
}

TEST(Comparer, StopsAtTheMaximumOfRepeats) {
  FakeRunner runner(2, repeats(2, 4, 1e-6));
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.stopped, StopReason::repeats);
  EXPECT_EQ(runner.made.size(), 10U);
}

TEST(Comparer, StoresTheComparisonAfterEveryBlock) {
  FakeRunner runner(2, repeats(3, 3));
  ASSERT_TRUE(runner.go().ok());
  EXPECT_THAT(runner.kept, ElementsAre(2, 4, 6, 8));
}

TEST(Comparer, ExcludesAFailedRunAndContinues) {
  FakeRunner runner(2, repeats(5, 5, 1e-6));
  runner.fails_at = {{"b", 3}};
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.stopped, StopReason::repeats);
  EXPECT_EQ(sample_of(runner.comparison, 0, "wall_s").values.size(), 5U);
  EXPECT_EQ(sample_of(runner.comparison, 1, "wall_s").values.size(), 4U);
  ASSERT_EQ(runner.notes.size(), 1U);
  EXPECT_THAT(runner.notes.front(), HasSubstr("b, block 2: run "));
  EXPECT_THAT(runner.notes.front(), HasSubstr("ended with failed: exit code 3"));
  EXPECT_EQ(runner.comparison.notes, runner.notes);
}

TEST(Comparer, GivesUpAVariantWhoseWarmUpFailsAndKeepsTheOthers) {
  FakeRunner runner(3, repeats(4, 4));
  runner.missing = "b";
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.counts["b"], 1);
  EXPECT_EQ(runner.counts["a"], 5);
  EXPECT_EQ(runner.counts["c"], 5);
  EXPECT_THAT(runner.notes.front(),
              HasSubstr("b, warm-up: podman is not installed; this variant is given up"));
}

TEST(Comparer, UsesTheNextVariantAsBaseIfTheFirstCannotRun) {
  FakeRunner runner(3, repeats(4, 4));
  runner.missing = "a";
  ASSERT_TRUE(runner.go().ok());
  ASSERT_EQ(runner.comparison.findings.size(), 1U);
  EXPECT_EQ(runner.comparison.findings.front().base, 1U);
  EXPECT_EQ(runner.comparison.findings.front().variant, 2U);
}

TEST(Comparer, GivesUpAVariantThatFailsTwiceInARow) {
  FakeRunner runner(3, repeats(8, 8));
  runner.fails_at = {{"c", 3}, {"c", 5}, {"c", 6}};
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.counts["c"], 6);
  EXPECT_EQ(runner.counts["a"], 9);
}

TEST(Comparer, EndsWhenFewerThanTwoVariantsAreLeft) {
  FakeRunner runner(2, repeats(10, 10));
  runner.missing = "b";
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.stopped, StopReason::failures);
  EXPECT_EQ(runner.made.size(), 2U);
}

TEST(Comparer, CtrlCKeepsTheRunsSoFarAndBlamesNoVariant) {
  FakeRunner runner(2, repeats(10, 10));
  runner.before_end = [&runner] { runner.interrupts = runner.made.size() == 8 ? 1 : 0; };
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.stopped, StopReason::user);
  EXPECT_EQ(runner.made.size(), 8U);
  EXPECT_EQ(runner.comparison.runs.size(), 7U);
  EXPECT_TRUE(runner.notes.empty());
  EXPECT_EQ(runner.kept.back(), 7U);
  EXPECT_EQ(runner.comparison.findings.size(), 1U);
}

TEST(Comparer, CtrlCBeforeTheFirstRunBlamesNoVariantEither) {
  FakeRunner runner(2, repeats(3, 3));
  runner.interrupts = 1;  // during the checks before the first run
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.stopped, StopReason::user);
  EXPECT_EQ(runner.made, "");
  EXPECT_TRUE(runner.notes.empty());
  runner.interrupts = 0;
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.runs.size(), 8U);
}

TEST(Comparer, ResumesTheInterruptedBlock) {
  FakeRunner whole(3, repeats(6, 6, 1e-6));
  ASSERT_TRUE(whole.go().ok());
  FakeRunner runner(3, repeats(6, 6, 1e-6));
  runner.before_end = [&runner] { runner.interrupts = runner.made.size() == 8 ? 1 : 0; };
  ASSERT_TRUE(runner.go().ok());
  runner.before_end = nullptr;
  runner.interrupts = 0;
  // As read from the store.
  runner.comparison = *comparison_from_json(to_json(runner.comparison));
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.stopped, StopReason::repeats);
  EXPECT_EQ(runner.comparison.runs.size(), whole.comparison.runs.size());
  // Only the run that Ctrl-C ended is repeated.
  EXPECT_EQ(runner.made.substr(0, 7) + runner.made.substr(8), whole.made);
}

TEST(Comparer, ReportsItsProgress) {
  FakeRunner runner(2, repeats(5, 5));
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.last_point.block, 5);
  EXPECT_EQ(runner.last_point.last_block, 5);
  ASSERT_TRUE(runner.last_point.left);
  EXPECT_NEAR(runner.last_point.left->count(), 2, 0.1);
  EXPECT_TRUE(runner.last_point.widest);
}

TEST(Comparer, RepeatsDisturbedBlocksAndNamesTheirRuns) {
  FakeRunner runner(2, repeats(5, 5, 1e-6));
  runner.busy_in = [](std::size_t run) { return run == 4 || run == 9; };
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.made.size(), 16U);  // warm-up, five that count, two that do not
  EXPECT_EQ(sample_of(runner.comparison, 0, "wall_s").values.size(), 5U);
  EXPECT_EQ(runner.comparison.stopped, StopReason::repeats);
  ASSERT_EQ(runner.notes.size(), 2U);
  EXPECT_THAT(runner.notes[0], HasSubstr("run 4 ("));
  EXPECT_THAT(runner.notes[0], HasSubstr("block 1) does not count: other programs took 40 %"));
}

TEST(Comparer, EndsOnAMachineThatStaysBusyAndClaimsNothing) {
  FakeRunner runner(2, repeats(5, 50));
  runner.seconds["b"] = 2;
  runner.busy_in = [](std::size_t) { return true; };
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(runner.comparison.stopped, StopReason::busy);
  EXPECT_EQ(runner.made.size(), 12U);
  ASSERT_FALSE(runner.comparison.findings.empty());
  EXPECT_EQ(runner.comparison.findings.front().words,
            "no result: the machine was busy in 10 of 10 runs");
}

TEST(Comparer, CountsDisturbedRunsOnRequest) {
  FakeRunner runner(2, repeats(5, 5));
  runner.plan.include_disturbed = true;
  runner.busy_in = [](std::size_t) { return true; };
  ASSERT_TRUE(runner.go().ok());
  EXPECT_EQ(sample_of(runner.comparison, 0, "wall_s").values.size(), 5U);
}

}  // namespace
}  // namespace tacho
