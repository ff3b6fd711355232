#include "experiments/runner/compare_runner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class Observer final : public CompareView {
 public:
  void run_begins(const Comparison& /*comparison*/, const ComparePoint& /*point*/) override {
    if (begins) begins();
  }
  void note(const std::string& /*sentence*/) override {}
  void started(std::int64_t /*id*/, const RunOrder& /*order*/) override {}
  void event(const Event& /*event*/) override {}
  void tick() override {}
  std::function<void()> begins;
};

class CompareRunnerTest : public testing::Test {
 protected:
  [[nodiscard]] ComparePlan plan_of(const std::vector<std::vector<std::string>>& commands) const {
    ComparePlan plan;
    plan.title = "two programs";
    plan.rule = {.resolution = 1e-9, .min_repeats = 2, .max_repeats = 2};
    for (const auto& argv : commands) {
      PlannedVariant variant;
      variant.shown.name = argv.front();
      variant.what = CommandSpec{.argv = argv, .folder = home_.path().string(), .trace = false};
      plan.variants.push_back(variant);
    }
    return plan;
  }

  ScratchFolder home_;
  RunStore store_ = *RunStore::open(home_.path() / "tacho.db");
  std::atomic<int> interrupts_{0};
  CompareRunner runner_{home_.path(), store_, interrupts_};
  Observer view_;
};

TEST_F(CompareRunnerTest, MakesOrdinaryRunsAndStoresTheComparison) {
  const auto kept = runner_.run(plan_of({{"true"}, {"sh", "-c", "echo loss=0.25"}}), view_);
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_EQ(*store_.count({}), 6);
  EXPECT_EQ(kept->comparison.runs.size(), 6U);
  for (const ComparedRun& run : kept->comparison.runs) {
    EXPECT_EQ(store_.find(run.run)->record.outcome, Outcome::ok);
    EXPECT_TRUE(run.values.contains("wall_s"));
    EXPECT_EQ(run.values.contains("heard:loss"), run.variant == 1);
  }
  const auto found = runner_.find("last");
  ASSERT_TRUE(found.ok()) << found.error().message;
  EXPECT_EQ(json_text(to_json(found->comparison)), json_text(to_json(kept->comparison)));
}

TEST_F(CompareRunnerTest, NamesAMissingProgramBeforeTheFirstRun) {
  const auto kept = runner_.run(plan_of({{"true"}, {"no-such-program"}}), view_);
  ASSERT_FALSE(kept.ok());
  EXPECT_THAT(kept.error().message, HasSubstr("no-such-program"));
  EXPECT_EQ(*store_.count({}), 0);
  EXPECT_TRUE(store_.comparisons().list()->empty());
}

TEST_F(CompareRunnerTest, ResumesAnInterruptedComparison) {
  int begun = 0;
  view_.begins = [&] { interrupts_ = ++begun == 3 ? 1 : 0; };
  const auto stopped = runner_.run(plan_of({{"true"}, {"sleep", "0"}}), view_);
  ASSERT_TRUE(stopped.ok()) << stopped.error().message;
  EXPECT_EQ(stopped->comparison.stopped, StopReason::user);
  const std::size_t before = stopped->comparison.runs.size();
  EXPECT_LE(before, 3U);
  view_.begins = nullptr;
  interrupts_ = 0;
  const auto resumed = runner_.resume("last", {.min_repeats = 3, .max_repeats = 3}, view_);
  ASSERT_TRUE(resumed.ok()) << resumed.error().message;
  EXPECT_EQ(resumed->id, stopped->id);
  EXPECT_EQ(resumed->comparison.runs.size(), 8U);
  EXPECT_EQ(resumed->comparison.stopped, StopReason::repeats);
}

TEST_F(CompareRunnerTest, NeitherRemovesNorResumesARunningComparison) {
  view_.begins = [&] {
    Observer other;
    EXPECT_THAT(runner_.remove("last").error().message, HasSubstr("still running"));
    EXPECT_THAT(runner_.resume("last", {}, other).error().message, HasSubstr("still running"));
  };
  ASSERT_TRUE(runner_.run(plan_of({{"true"}, {"true"}}), view_).ok());
  EXPECT_TRUE(std::filesystem::is_empty(home_.path() / "comparisons"));
  ASSERT_TRUE(runner_.remove("last").ok());
  EXPECT_FALSE(runner_.find("last").ok());
  EXPECT_EQ(*store_.count({}), 6);
}

TEST(ComparePlan, SurvivesTheRoundTrip) {
  ComparePlan plan;
  plan.title = "t";
  plan.seed = 5;
  plan.rule = {.resolution = 0.02, .max_time = Seconds(60), .min_repeats = 3, .max_repeats = 9};
  plan.metrics = {"wall_s", "heard:loss"};
  PlannedVariant training;
  training.shown = {"batch 32", "g", "d"};
  training.what = RunSpec{.model = "mlp", .data = "synthetic"};
  PlannedVariant program;
  program.what = CommandSpec{.argv = {"python3", "a b.py"}};
  program.environment = {.kind = EnvironmentKind::podman, .image = "localhost/tacho"};
  plan.variants = {training, program};
  const auto again = compare_plan_from_json(to_json(plan));
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(json_text(to_json(*again)), json_text(to_json(plan)));
  EXPECT_EQ(std::get<RunSpec>(again->variants[0].what).model, "mlp");
  EXPECT_EQ(again->variants[1].environment.image, "localhost/tacho");
}

}  // namespace
}  // namespace tacho
