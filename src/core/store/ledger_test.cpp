#include "core/store/ledger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "core/store/run_store.h"
#include "core/store/test_runs.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class LedgerTest : public testing::Test {
 protected:
  ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "store.db";

  static LedgerEntry prediction(std::string key, std::string metric = "top1") {
    return {.run_key = std::move(key),
            .metric = std::move(metric),
            .made_at = 5,
            .model = "lenet5",
            .data = "fashion-mnist",
            .machine = "H100",
            .basis = "3 runs here",
            .predicted = {0.5, 0.4, 0.6}};
  }
};

TEST_F(LedgerTest, KeepsPredictionsAndAddsMeasurements) {
  auto ledger = *Ledger::open(file_);
  const std::vector<LedgerEntry> made = {prediction("a"), prediction("b")};
  ASSERT_TRUE(ledger.put(made).ok());
  ASSERT_TRUE(ledger.settle().ok());
  EXPECT_EQ(*ledger.all(), made);

  auto store = *RunStore::open(file_);
  ASSERT_TRUE(store.put(finished_run("b", 0.55), "/runs/b").ok());
  ASSERT_TRUE(ledger.settle().ok());
  const auto all = *ledger.all();
  EXPECT_EQ(all[0].outcome, "");
  EXPECT_EQ(all[1].outcome, "ok");
  EXPECT_EQ(all[1].measured, 0.55);
}

TEST_F(LedgerTest, AMeasurementOutlivesItsRun) {
  auto ledger = *Ledger::open(file_);
  ASSERT_TRUE(ledger.put(std::vector{prediction("b")}).ok());
  auto store = *RunStore::open(file_);
  const auto id = *store.put(finished_run("b", 0.55), "/runs/b");
  ASSERT_TRUE(ledger.settle().ok());
  ASSERT_TRUE(store.remove(id).ok());
  ASSERT_TRUE(ledger.settle().ok());
  EXPECT_EQ(ledger.all()->front().measured, 0.55);
}

TEST_F(LedgerTest, ARunThatHasNotEndedIsNotMeasured) {
  auto ledger = *Ledger::open(file_);
  ASSERT_TRUE(ledger.put(std::vector{prediction("b")}).ok());
  auto store = *RunStore::open(file_);
  ASSERT_TRUE(store.put(fold(RunOrder{.key = "b"}, {}), "/runs/b").ok());
  ASSERT_TRUE(ledger.settle().ok());
  EXPECT_EQ(ledger.all()->front().outcome, "");
}

TEST_F(LedgerTest, AMetricIsPredictedOnce) {
  auto ledger = *Ledger::open(file_);
  LedgerEntry second = prediction("a");
  second.predicted.value = 0.45;
  ASSERT_TRUE(ledger.put(std::vector{prediction("a")}).ok());
  ASSERT_TRUE(ledger.put(std::vector{second}).ok());
  ASSERT_EQ(ledger.all()->size(), 1U);
  EXPECT_EQ(ledger.all()->front().predicted.value, 0.5);
}

TEST_F(LedgerTest, RefusesAnUnknownMetricAndAnIntervalWithoutItsValue) {
  auto ledger = *Ledger::open(file_);
  EXPECT_FALSE(ledger.put(std::vector{prediction("a", "top9")}).ok());
  LedgerEntry outside = prediction("a");
  outside.predicted.low = 0.55;
  const auto put = ledger.put(std::vector{prediction("b"), outside});
  ASSERT_FALSE(put.ok());
  EXPECT_THAT(put.error().message, HasSubstr("outside its own interval"));
  EXPECT_TRUE(ledger.all()->empty());
}

}  // namespace
}  // namespace tacho
