#include "experiments/trials/trial_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/trials/trial_text.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::Not;

TriedChange tried(const std::string& name, double ratio, LossChange losses = LossChange::same) {
  TriedChange change{.changes = {{.name = name, .help = "", .in_python = true}}};
  change.outcome = ratio < 0.99 ? TrialOutcome::not_measured : TrialOutcome::not_faster;
  change.ratio = Ratio{.value = ratio, .interval = Interval{ratio - 0.01, ratio + 0.01}};
  change.losses = {.change = losses, .difference = 0.01};
  return change;
}

TriedChange faster(const std::string& name, double ratio, LossChange losses = LossChange::same) {
  TriedChange change = tried(name, ratio, losses);
  change.outcome = TrialOutcome::faster;
  change.words = "faster by something";
  change.keep = {"keep " + name};
  return change;
}

TrialReport report_of(std::vector<TriedChange> changes) {
  TrialReport report;
  report.title = "python3 train.py";
  report.metric = compared(metric::kStepS);
  report.original = 0.01;
  report.tried = std::move(changes);
  return report;
}

std::vector<std::string> names_of(const std::vector<TrialChange>& changes) {
  std::vector<std::string> names;
  for (const TrialChange& change : changes) names.push_back(change.name);
  return names;
}

TEST(TrialReport, NeverRecommendsWhatChangesTheLosses) {
  const TrialReport report = report_of({faster("bf16", 0.5, LossChange::changed), faster("a", 0.9),
                                        faster("b", 0.8, LossChange::as_other_seed),
                                        faster("c", 0.1, LossChange::unknown)});
  ASSERT_NE(report.best(), nullptr);
  EXPECT_EQ(report.best()->name(), "b");
  const std::string text = trial_text(report, Terminal(-1));
  EXPECT_THAT(text, HasSubstr("To keep b\n  keep b"));
  EXPECT_THAT(text, HasSubstr("bf16 is faster, but changes the losses"));
  EXPECT_THAT(text, HasSubstr("differ by 1.0 %"));
}

TEST(TrialReport, AnEnvironmentVariableNeedsNoLosses) {
  TriedChange threads = faster("threads-1", 0.9, LossChange::unknown);
  threads.changes.front().in_python = false;
  EXPECT_TRUE(threads.recommended());
}

TEST(TrialReport, WithoutAnySavingThereIsNoAdvice) {
  TriedChange missing{.changes = {{.name = "compile", .help = ""}}};
  missing.outcome = TrialOutcome::no_effect;
  missing.why = "needs PyTorch 2";
  const TrialReport report = report_of({tried("a", 1.2), missing});
  EXPECT_EQ(report.best(), nullptr);
  const std::string text = trial_text(report, Terminal(-1));
  EXPECT_THAT(text, HasSubstr("None of the changes"));
  EXPECT_THAT(text, HasSubstr("a: +20.0 % in the first trials"));
  EXPECT_THAT(text, HasSubstr("compile: needs PyTorch 2"));
  EXPECT_THAT(text, Not(HasSubstr("To keep")));
  EXPECT_TRUE(to_json(report)["best"].is_null());
}

TEST(TrialReport, SaysWhatWasNotMeasured) {
  const std::string text = trial_text(
      report_of({tried("a", 0.85), {.changes = {{.name = "b", .help = ""}}}}), Terminal(-1));
  EXPECT_THAT(text,
              HasSubstr("Not measured\n  a: -15.0 % in the first trials\n  b: no trial counts"));
  EXPECT_THAT(text, HasSubstr("No change was shown to make it faster"));
}

TEST(TrialReport, ComparesWithTheOriginalOnly) {
  Comparison comparison;
  comparison.metrics = {compared(metric::kStepS)};
  Finding finding{
      .variant = 2, .base = 1, .metric = comparison.metrics.front().key, .words = "faster"};
  finding.evidence.ratio = Ratio{.value = 0.5, .interval = Interval{0.4, 0.6}};
  finding.decision.verdict = Verdict::lower;
  comparison.findings = {finding};
  TriedChange change;
  read_finding(comparison, 2, true, change);
  EXPECT_EQ(change.outcome, TrialOutcome::not_measured);
  comparison.findings.front().base = 0;
  read_finding(comparison, 2, true, change);
  EXPECT_EQ(change.outcome, TrialOutcome::faster);
}

TEST(TrialReport, CombinesTheFastestOfEachFamily) {
  std::vector<TriedChange> all = {tried("threads-1", 0.9), tried("threads-2", 0.8),
                                  tried("bf16", 0.5, LossChange::changed), tried("pages", 0.95),
                                  tried("slow", 1.1)};
  all[0].changes.front().family = all[1].changes.front().family = "threads";
  EXPECT_EQ(names_of(to_combine(all)), (std::vector<std::string>{"threads-2", "pages"}));
}

TEST(TrialReport, OnlyASavingOfAPercentIsWorthMeasuring) {
  EXPECT_TRUE(may_save(tried("a", 0.97)));
  EXPECT_FALSE(may_save(tried("a", 0.995)));
  TriedChange failed = tried("a", 0.5);
  failed.outcome = TrialOutcome::failed;
  EXPECT_FALSE(may_save(failed));
}

}  // namespace
}  // namespace tacho
