#include "experiments/trials/trial_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::AnyOf;
using testing::HasSubstr;

class Silent final : public CompareView {
 public:
  void run_begins(const Comparison& /*comparison*/, const ComparePoint& /*point*/) override {}
  void note(const std::string& /*sentence*/) override {}
  void started(std::int64_t /*id*/, const RunOrder& /*order*/) override { ++trials; }
  void event(const Event& /*event*/) override {}
  void tick() override {}
  int trials = 0;
};

class TrialRunnerTest : public testing::Test {
 protected:
  Result<TrialReport> try_shell(const std::string& script, std::vector<TrialChange> changes) {
    TrialRequest request;
    request.command = {.argv = {"sh", "-c", script}, .folder = home_.path().string()};
    request.changes = std::move(changes);
    request.budget = Seconds(120);
    request.include_disturbed = true;
    request.typed = "tacho try";
    return TrialRunner(home_.path(), store_, interrupts_,
                       [&]() -> Result<void> {
                         ++ended_;
                         return {};
                       })
        .run(request, view_);
  }

  ScratchFolder home_;
  RunStore store_ = *RunStore::open(home_.path() / "tacho.db");
  std::atomic<int> interrupts_{0};
  Silent view_;
  int ended_ = 0;
};

TEST_F(TrialRunnerTest, MeasuresWhatSavesTimeAndNotTheRest) {
  const auto report = try_shell(
      "[ \"$FAST\" ] || sleep 0.2; "
      "[ ! \"$SLOW\" ] || sleep 0.2; [ ! \"$BROKEN\" ]",
      {{"fast", "less to do", "", {{"FAST", "1"}}},
       {"slow", "more to do", "", {{"SLOW", "1"}}},
       {"broken", "fails", "", {{"BROKEN", "1"}}}});
  ASSERT_TRUE(report.ok()) << report.error().message;
  EXPECT_EQ(report->metric.key, "wall_s");
  ASSERT_EQ(report->tried.size(), 3U);
  EXPECT_EQ(report->tried[0].outcome, TrialOutcome::faster);
  EXPECT_LT(report->tried[0].ratio->value, 0.5);
  EXPECT_THAT(report->tried[0].keep.front(), HasSubstr("FAST=1 sh -c"));
  EXPECT_THAT(report->tried[1].outcome, AnyOf(TrialOutcome::slower, TrialOutcome::not_faster));
  EXPECT_EQ(report->tried[2].outcome, TrialOutcome::failed);
  EXPECT_THAT(report->tried[2].why, HasSubstr("exit code 1"));
  EXPECT_EQ(report->best(), &report->tried[0]);
  EXPECT_EQ(ended_, view_.trials);
  EXPECT_EQ(*store_.count({}), view_.trials);
  EXPECT_EQ(store_.comparisons().list()->size(), report->comparisons.size());
}

TEST_F(TrialRunnerTest, AProgramThatFailsIsNotTried) {
  const auto report = try_shell("exit 3", {{"fast", "", "", {{"FAST", "1"}}}});
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("fails without any change: exit code 3"));
  EXPECT_EQ(view_.trials, 1);
}

TEST_F(TrialRunnerTest, WithoutAChangeThatCanApplyThereIsNothingToTry) {
  const auto report = try_shell("true", {{.name = "bf16", .help = "", .in_python = true}});
  ASSERT_FALSE(report.ok());
  EXPECT_THAT(report.error().message, HasSubstr("none of the changes can apply"));
}

}  // namespace
}  // namespace tacho
