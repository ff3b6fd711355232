#include "core/store/sweep_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "core/store/run_store.h"
#include "core/store/test_runs.h"
#include "core/store/test_sweeps.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

RunRecord run_of(const std::string& key, Outcome outcome = Outcome::ok) {
  RunRecord record = finished_run(key);
  record.outcome = outcome;
  return record;
}

class SweepStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    const auto added = store_.add(some_sweep(), tasks_of_batches({16, 32, 64}));
    ASSERT_TRUE(added.ok()) << added.error().message;
    sweep_ = *added;
  }
  // Returns the key of the attempt.
  std::string begin(std::int64_t position) {
    return store_.begin_batch(sweep_, std::span(&position, 1))->run_keys.front();
  }
  std::vector<std::string> finish(std::int64_t position, const RunRecord& record) {
    const TaskResult result{position, record, "/runs/" + record.order.key};
    return *store_.finish(sweep_, std::span(&result, 1));
  }
  std::int64_t count(SweepTaskState state) { return store_.counts(sweep_)->states.at(state); }

  ScratchFolder folder_;
  SweepStore store_ = *SweepStore::open(folder_.path() / "store.db");
  RunStore runs_ = *RunStore::open(folder_.path() / "store.db");
  std::int64_t sweep_ = 0;
};

TEST_F(SweepStoreTest, KeepsTheTasks) {
  const auto tasks = store_.tasks(sweep_);
  ASSERT_TRUE(tasks.ok()) << tasks.error().message;
  ASSERT_EQ(tasks->size(), 3U);
  EXPECT_EQ((*tasks)[1].position, 2);
  EXPECT_EQ(to_text((*tasks)[1].configuration), "model=lenet5 batch=32");
  EXPECT_EQ((*tasks)[1].asked.spec.batch, 32);
  EXPECT_EQ((*tasks)[1].state, SweepTaskState::waiting);
  EXPECT_EQ(store_.counts(sweep_)->all(), 3);
}

TEST_F(SweepStoreTest, FindsASweepByIdKeyOrLast) {
  ASSERT_TRUE(store_.add(some_sweep("20260102-000000-abcdef"), {}).ok());
  EXPECT_EQ(store_.find("1")->name, "small");
  EXPECT_EQ(store_.find("last")->id, 2);
  EXPECT_EQ(store_.find("20260102")->id, 2);
  EXPECT_THAT(store_.find("202601").error().message, HasSubstr("several sweeps"));
  EXPECT_EQ(store_.find("7").error().code, ErrorCode::not_found);
  EXPECT_EQ(store_.find("20").error().code,
            ErrorCode::not_found);  // an id, although keys begin with it
  EXPECT_EQ(store_.find("").error().code, ErrorCode::not_found);
}

TEST_F(SweepStoreTest, BatchNamesAreUnique) {
  EXPECT_EQ(begin(3), "20260101-000000-abcdef-1-3");
  EXPECT_EQ(begin(2), "20260101-000000-abcdef-2-2");
  EXPECT_EQ(store_.tasks(sweep_, SweepTaskState::submitted)->front().batch,
            "20260101-000000-abcdef-2");
  EXPECT_EQ(count(SweepTaskState::submitted), 2);
  EXPECT_EQ(store_.tasks(sweep_, SweepTaskState::submitted)->front().attempt, 1);
}

TEST_F(SweepStoreTest, AResultIsStoredWithItsRun) {
  const std::string key1 = begin(1);
  EXPECT_THAT(finish(1, run_of(key1)), IsEmpty());
  EXPECT_EQ(count(SweepTaskState::done), 1);
  EXPECT_EQ(store_.counts(sweep_)->outcomes.at(Outcome::ok), 1);
  EXPECT_EQ(store_.counts(sweep_)->run_seconds, 6);
  EXPECT_TRUE(runs_.find(key1).ok());
}

TEST_F(SweepStoreTest, AResultDeliveredTwiceCountsOnce) {
  const std::string key1 = begin(1);
  finish(1, run_of(key1));
  finish(1, run_of(key1, Outcome::failed));
  EXPECT_EQ(store_.counts(sweep_)->outcomes.at(Outcome::ok), 1);
  EXPECT_EQ(*runs_.count({}), 1);
}

TEST_F(SweepStoreTest, AnAbandonedAttemptHasNoResult) {
  const std::string key1 = begin(1);
  ASSERT_TRUE(store_.put_back(sweep_, 1, key1, "its node is gone", true).ok());
  finish(1, run_of(key1));  // it finished late
  EXPECT_EQ(count(SweepTaskState::waiting), 3);
  EXPECT_EQ(*runs_.count({}), 0);
  const SweepTask task = store_.tasks(sweep_)->front();
  EXPECT_EQ(task.attempt, 1);
  EXPECT_EQ(task.reason, "its node is gone");
}

TEST_F(SweepStoreTest, CountsOnlyRealAttempts) {
  const std::string key1 = begin(1);
  ASSERT_TRUE(store_.put_back(sweep_, 1, key1, "stopped", false).ok());
  EXPECT_EQ(store_.tasks(sweep_)->front().attempt, 0);
}

TEST_F(SweepStoreTest, ARetriedResultIsReplacedByTheNextOne) {
  const std::string key1 = begin(1);
  finish(1, run_of(key1, Outcome::failed));
  const std::string key2 = begin(2);
  finish(2, run_of(key2, Outcome::out_of_memory));
  EXPECT_EQ(*store_.retry_failed(sweep_), 1);  // out of memory is not retried
  EXPECT_EQ(*runs_.count({}), 2);
  const std::string key3 = begin(1);
  EXPECT_THAT(finish(1, run_of(key3)), ElementsAre(key1));
  EXPECT_EQ(*runs_.count({}), 2);
  EXPECT_FALSE(runs_.find(key1).ok());
  EXPECT_EQ(store_.tasks_that_ended(sweep_, Outcome::out_of_memory)->front().position, 2);
}

TEST_F(SweepStoreTest, SkipsOnlyWaitingTasks) {
  begin(1);
  const std::vector<SweepStore::Skip> skips = {{1, "too large"}, {2, "too large"}};
  ASSERT_TRUE(store_.skip(sweep_, skips).ok());
  EXPECT_EQ(count(SweepTaskState::skipped), 1);
  EXPECT_EQ(count(SweepTaskState::submitted), 1);
}

TEST_F(SweepStoreTest, CancellingKeepsResults) {
  const std::string key1 = begin(1);
  finish(1, run_of(key1));
  EXPECT_FALSE(*store_.is_cancelled(sweep_));
  ASSERT_TRUE(store_.set_state(sweep_, SweepState::cancelled).ok());
  EXPECT_TRUE(*store_.is_cancelled(sweep_));
  ASSERT_TRUE(store_.cancel_rest(sweep_).ok());
  EXPECT_EQ(count(SweepTaskState::done), 1);
  EXPECT_EQ(count(SweepTaskState::cancelled), 2);
  EXPECT_EQ(store_.find("1")->state, SweepState::cancelled);
  ASSERT_TRUE(store_.reopen(sweep_).ok());
  EXPECT_EQ(count(SweepTaskState::done), 1);
  EXPECT_EQ(count(SweepTaskState::waiting), 2);
  EXPECT_EQ(store_.find("1")->state, SweepState::open);
  ASSERT_TRUE(store_.set_state(sweep_, SweepState::cancelled).ok());
  ASSERT_TRUE(store_.cancel_rest(sweep_).ok());
  EXPECT_EQ(*store_.retry_failed(sweep_), 2);
  EXPECT_EQ(store_.find("1")->state, SweepState::open);
}

}  // namespace
}  // namespace tacho
