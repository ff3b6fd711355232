#include "experiments/runner/recorded_runs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RecordedRunsTest : public testing::Test {
 protected:
  // Adds a run with steps of `step` seconds.
  void add(std::int64_t batch, double step, Outcome outcome = Outcome::ok,
           const std::vector<std::string>& disturbed = {}) {
    RunRecord record;
    record.order.key = "key-" + std::to_string(++count_);
    record.order.spec.model = "lenet5";
    record.order.spec.batch = batch;
    record.outcome = outcome;
    record.disturbed = disturbed;
    record.steps.seconds = {step};
    record.steps.input_seconds = {0.0};
    record.steps.loss = {1.0};
    record.totals.wall_seconds = 100 * step;
    ASSERT_TRUE(store_.put(record, "/runs/" + record.order.key).ok());
  }

  Result<Comparison> compared(const std::vector<std::string>& texts) {
    auto groups = parse_recorded_groups(texts);
    if (!groups.ok()) return groups.error();
    return compare_recorded(store_, *groups, {}, 0.01);
  }

  std::string why_not(const std::vector<std::string>& texts) {
    const auto comparison = compared(texts);
    return comparison.ok() ? "" : comparison.error().message;
  }

  ScratchFolder folder_;
  RunStore store_ = *RunStore::open(folder_.path() / "store.db");
  int count_ = 0;
};

TEST_F(RecordedRunsTest, CanBeListed) {
  for (const double step : {1.0, 1.01, 0.99, 1.02, 2.0, 2.02, 1.98, 2.04}) add(32, step);
  const auto comparison = compared({"1,2,3,4/5,6,7,key-8"});
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  EXPECT_EQ(comparison->variants.front().name, "1,2,3,4");
  EXPECT_EQ(comparison->metrics.front().key, "step_s");
  ASSERT_FALSE(comparison->findings.empty());
  EXPECT_NEAR(comparison->findings.front().evidence.ratio->value, 2, 0.05);
  EXPECT_FALSE(comparison->findings.front().evidence.ratio->paired);
  EXPECT_THAT(comparison->notes.back(), HasSubstr("not interleaved"));
}

TEST_F(RecordedRunsTest, CanBeFilteredAndAreNamedByTheirDifferences) {
  for (const double step : {1.0, 1.01, 0.99}) add(32, step);
  for (const double step : {2.0, 2.01, 1.99}) add(64, step);
  add(32, 50, Outcome::failed);
  const auto comparison = compared({"model=lenet5 batch=32/model=lenet5 batch=64"});
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  EXPECT_EQ(comparison->variants[0].name, "batch=32");
  EXPECT_EQ(comparison->variants[1].name, "batch=64");
  EXPECT_EQ(comparison->runs.size(), 6U);
  EXPECT_EQ(comparison->notes.front(), "run 7 is left out: failed");
}

TEST_F(RecordedRunsTest, ASlashHasNoMeaningInSeveralTexts) {
  add(32, 1);
  add(64, 1);
  EXPECT_THAT(why_not({"environment=podman:a/b", "batch=64"}),
              HasSubstr("no successful run matches 'environment=podman:a/b'"));
}

TEST_F(RecordedRunsTest, NamesTheError) {
  add(32, 1);
  add(64, 1, Outcome::failed);
  EXPECT_THAT(why_not({"1"}), HasSubstr("separate groups by a slash"));
  EXPECT_THAT(why_not({"1/"}), HasSubstr("a group is empty"));
  EXPECT_THAT(why_not({"1/99"}), HasSubstr("no run 99"));
  EXPECT_THAT(why_not({"1/2"}), HasSubstr("no successful run matches '2'"));
  EXPECT_THAT(why_not({"1/1"}), HasSubstr("run 1 is named twice"));
  EXPECT_THAT(why_not({"1/2,batch=32"}), HasSubstr("use one of the two"));
  EXPECT_THAT(why_not({"1/btch=32"}), HasSubstr("did you mean 'batch'"));
}

TEST_F(RecordedRunsTest, DoNotCountIfDisturbed) {
  for (int i = 0; i < 6; ++i) add(32, 1 + 0.001 * i);
  for (int i = 0; i < 6; ++i) add(64, 2 + 0.001 * i);
  add(64, 9, Outcome::ok, {"other programs took 40 % of the processors"});
  const auto comparison = compared({"batch=32/batch=64"});
  ASSERT_TRUE(comparison.ok()) << comparison.error().message;
  EXPECT_EQ(sample_of(*comparison, 1, "step_s").values.size(), 6U);
  EXPECT_THAT(
      comparison->notes,
      testing::Contains("run 13 does not count: other programs took 40 % of the processors"));
}

}  // namespace
}  // namespace tacho
