#include "core/store/run_store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/store/test_runs.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

class RunStoreTest : public testing::Test {
 protected:
  std::int64_t put(const RunRecord& record) {
    const auto id = store_.put(record, "/runs/" + record.order.key);
    EXPECT_TRUE(id.ok()) << id.error().message;
    return id.ok() ? *id : -1;
  }

  std::vector<std::string> keys(const RunQuery& query) {
    const auto rows = store_.list(query);
    std::vector<std::string> keys;
    for (const RunRow& row : *rows) keys.push_back(row.key);
    return keys;
  }

  Error refused(std::string_view handle) { return store_.find(handle).error(); }

  ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "new" / "folders" / "store.db";
  RunStore store_ = *RunStore::open(file_);
};

std::optional<double> value_in(const RunRow& row, const Metric& metric) {
  const auto* at = std::ranges::find(metric::kAll, metric.key, &Metric::key);
  return row.metrics.at(static_cast<std::size_t>(at - metric::kAll.begin()));
}

TEST_F(RunStoreTest, ReturnsTheRecordAndItsRow) {
  RunRecord record = finished_run("20260101-000000-abcdef", 0.75);
  record.order.spec.seed = 9007199254740993;
  record.started->host.environment = "podman";
  record.started->paths.threads = 12;
  EXPECT_EQ(put(record), 1);
  const auto run = store_.find("1");
  ASSERT_TRUE(run.ok()) << run.error().message;
  EXPECT_EQ(to_json(run->record), to_json(record));
  EXPECT_EQ(run->row.key, "20260101-000000-abcdef");
  EXPECT_EQ(run->row.folder, "/runs/20260101-000000-abcdef");
  EXPECT_EQ(run->row.created_at, 1000);
  EXPECT_EQ(run->row.model, "lenet5");
  EXPECT_EQ(run->row.data, "fashion-mnist");
  EXPECT_EQ(run->row.batch, 64);
  EXPECT_EQ(run->row.device, "cpu");
  EXPECT_EQ(run->row.environment, "podman");
  EXPECT_EQ(run->row.seed, 9007199254740993);
  EXPECT_EQ(run->row.threads, 12);
  EXPECT_EQ(run->row.outcome, Outcome::ok);
  EXPECT_EQ(value_in(run->row, metric::kTop1), 0.75);
  EXPECT_EQ(value_in(run->row, metric::kWallS), 6);
  EXPECT_EQ(value_in(run->row, metric::kPeakMemory), std::nullopt);
}

TEST_F(RunStoreTest, ARunThatNeverStartedIsBareWithTheRequestedThreads) {
  RunRecord record = fold({.key = "20260101-000000-abcdef"}, {});
  put(record);
  EXPECT_EQ(store_.find("last")->row.environment, "bare");
  EXPECT_EQ(store_.find("last")->row.threads, std::nullopt);
  record.order.spec.threads = 3;
  put(record);
  EXPECT_EQ(store_.find("last")->row.threads, 3);
}

TEST_F(RunStoreTest, AMetricThatIsNotANumberIsAbsent) {
  put(finished_run("20260101-000000-abcdef", std::nan("")));
  EXPECT_EQ(value_in(store_.find("1")->row, metric::kTop1), std::nullopt);
}

TEST_F(RunStoreTest, TheSameKeyKeepsItsIdAndUsesNoOther) {
  EXPECT_EQ(put(finished_run("20260101-000000-aaaaaa", 0.5)), 1);
  for (int i = 0; i < 5; ++i) EXPECT_EQ(put(finished_run("20260101-000000-aaaaaa", 0.75)), 1);
  EXPECT_EQ(put(finished_run("20260101-000000-bbbbbb")), 2);
  EXPECT_EQ(*store_.count({}), 2);
  EXPECT_EQ(store_.find("1")->record.epochs.back().top1, 0.75);
  EXPECT_EQ(value_in(store_.find("1")->row, metric::kTop1), 0.75);
}

TEST_F(RunStoreTest, AnIdIsNeverReused) {
  put(finished_run("20260101-000000-aaaaaa"));
  ASSERT_TRUE(store_.remove(1).ok());
  EXPECT_EQ(put(finished_run("20260101-000000-aaaaaa")), 2);
}

TEST_F(RunStoreTest, RemovesTheRecordWithTheRun) {
  put(finished_run("20260101-000000-aaaaaa"));
  ASSERT_TRUE(store_.remove(1).ok());
  EXPECT_EQ(*Database::open(file_)->integer("SELECT count(*) FROM run_records"), 0);
  EXPECT_EQ(store_.remove(1).error().message, "no run 1; see 'tacho runs ls'");
}

TEST_F(RunStoreTest, FindsByIdKeyPrefixAndLast) {
  put(finished_run("20260101-000000-aaaaaa"));
  put(finished_run("20260202-000000-bbbbbb"));
  put(finished_run("20260202-000000-bbbbbb2"));
  EXPECT_EQ(store_.find("2")->row.id, 2);
  EXPECT_EQ(store_.find("last")->row.id, 3);
  EXPECT_EQ(store_.find("20260101-000000-aaaaaa")->row.id, 1);
  EXPECT_EQ(store_.find("202601")->row.id, 1);                  // all digits, but no existing id
  EXPECT_EQ(store_.find("20260202-000000-bbbbbb")->row.id, 2);  // a whole key, and a prefix
}

TEST_F(RunStoreTest, ExplainsWhyARunIsNotFound) {
  EXPECT_EQ(refused("last").code, ErrorCode::not_found);
  EXPECT_THAT(refused("last").message, HasSubstr("no run yet"));
  put(finished_run("20260101-000000-aaaaaa"));
  put(finished_run("20260102-000000-bbbbbb"));
  EXPECT_EQ(refused("41").message, "no run 41; see 'tacho runs ls'");
  EXPECT_EQ(refused("41").code, ErrorCode::not_found);
  EXPECT_EQ(refused("20260").code, ErrorCode::not_found);  // too short to be a prefix
  EXPECT_EQ(refused("").code, ErrorCode::not_found);
  EXPECT_EQ(refused("99999999999999999999").code, ErrorCode::not_found);
  EXPECT_EQ(refused("2026010%").code, ErrorCode::not_found);
  EXPECT_EQ(refused("202601").code, ErrorCode::usage);
  EXPECT_THAT(refused("202601").message, HasSubstr("give more of the key"));
}

TEST_F(RunStoreTest, ListsRunsWithoutTheMetricLast) {
  put(finished_run("a", 0.5));
  put(fold({.key = "b"}, {}));
  put(finished_run("c", 0.75));
  put(fold({.key = "d"}, {}));
  EXPECT_THAT(keys({}), ElementsAre("d", "c", "b", "a"));
  EXPECT_THAT(keys({.sort = "top1"}), ElementsAre("c", "a", "d", "b"));
  EXPECT_THAT(keys({.sort = "top1", .descending = false}), ElementsAre("a", "c", "b", "d"));
  EXPECT_THAT(keys({.sort = "top1", .limit = 2, .offset = 1}), ElementsAre("a", "d"));
  EXPECT_THAT(keys({.filters = {*parse_filter("top1>0.6")}}), ElementsAre("c"));
  EXPECT_EQ(*store_.count({.filters = {*parse_filter("outcome=running")}, .limit = 1}), 2);
}

TEST_F(RunStoreTest, VisitsOnlyExistingRowsOfAnEarlierOrder) {
  for (const char* key : {"a", "b", "c"}) put(finished_run(key));
  const auto order = *store_.order({.limit = 1});
  EXPECT_THAT(order, ElementsAre(3, 2, 1));
  ASSERT_TRUE(store_.remove(2).ok());
  std::vector<std::string> keys;
  ASSERT_TRUE(store_.visit(order, [&](const RunRow& row) { keys.push_back(row.key); }).ok());
  EXPECT_THAT(keys, ElementsAre("c", "a"));
}

TEST_F(RunStoreTest, ReturnsTheRunsThatHaveNotEnded) {
  put(finished_run("a"));
  put(fold({.key = "b"}, {}));
  const auto unfinished = store_.unfinished();
  ASSERT_EQ(unfinished->size(), 1U);
  EXPECT_EQ(unfinished->front().key, "b");
}

TEST_F(RunStoreTest, KeepsEveryByteOfAFolderName) {
  ASSERT_TRUE(store_.put(finished_run("a"), "/runs/\xFF'; DROP TABLE runs; --").ok());
  EXPECT_EQ(store_.find("last")->row.folder, "/runs/\xFF'; DROP TABLE runs; --");
}

TEST_F(RunStoreTest, TheStepsOfALongRunSurviveAsTheyAre) {
  RunRecord record = finished_run("long");
  for (int i = 0; i < 20'000; ++i) {
    record.steps.seconds.push_back(1.0 / (i + 1));
    record.steps.input_seconds.push_back(0);
    record.steps.loss.push_back(i == 7 ? NAN : i);
  }
  put(record);
  const StepSeries steps = store_.find("long")->record.steps;
  EXPECT_EQ(steps.seconds, record.steps.seconds);
  EXPECT_EQ(steps.warmup, record.steps.warmup);
  EXPECT_TRUE(std::isnan(steps.loss[9]));  // two steps came before
  put(finished_run("long"));
  EXPECT_EQ(store_.find("long")->record.steps.seconds.size(), 2U);
  EXPECT_EQ(*Database::open(file_)->integer("SELECT count(*) FROM run_steps"), 0);
}

class EditedRun : public RunStoreTest {
 protected:
  void SetUp() override {
    std::filesystem::create_directories(run_);
    RunRecord record = finished_run("edited");
    record.described.emplace();
    record.described->name = "base";
    record.described->tags = {"small"};
    ASSERT_TRUE(store_.put(record, run_).ok());
  }
  Result<RunRow> archive() {
    return store_.edit("edited", [](const RunRecord& record, RunEdits& edits) {
      edits.name = record.name() + " 2";
      edits.archived = true;
      return Result<void>();
    });
  }

  std::filesystem::path run_ = folder_.path() / "runs" / "edited";
};

TEST_F(EditedRun, AnEditTakesPrecedenceOverTheProgram) {
  EXPECT_EQ(store_.find("1")->row.name, "base");
  const auto row = archive();
  ASSERT_TRUE(row.ok()) << row.error().message;
  EXPECT_EQ(row->name, "base 2");
  EXPECT_EQ(row->tags, "small");
  EXPECT_TRUE(row->archived);
  EXPECT_EQ(store_.find("1")->record.edits->name, "base 2");
}

TEST_F(EditedRun, EditsSurviveWhenTheRunIsStoredAgain) {
  ASSERT_TRUE(archive().ok());
  ASSERT_TRUE(store_.put(finished_run("edited"), run_).ok());
  EXPECT_EQ(store_.find("1")->row.name, "base 2");
  RunStore another = *RunStore::open(folder_.path() / "another.db");
  ASSERT_TRUE(another.put(finished_run("edited"), run_).ok());
  EXPECT_TRUE(another.find("1")->row.archived);
}

TEST_F(EditedRun, ARefusedEditChangesNothing) {
  const auto long_tag = store_.edit("1", [](const RunRecord&, RunEdits& edits) {
    edits.tags = {"a,b"};
    return Result<void>();
  });
  EXPECT_EQ(long_tag.error().message, "a tag must not be empty or contain a comma");
  EXPECT_EQ(store_.find("1")->row.tags, "small");
  EXPECT_FALSE(std::filesystem::exists(run_ / "edits.json"));
}

TEST_F(EditedRun, ADamagedFileOfEditsIsNamedAndDoesNotPreventStoring) {
  ASSERT_TRUE(write_file_atomically(run_ / "edits.json", "{").ok());
  EXPECT_TRUE(store_.put(finished_run("edited"), run_).ok());
  EXPECT_THAT(archive().error().message, HasSubstr("edits.json"));
}

TEST_F(EditedRun, ArchivedRunsAreHiddenOnlyFromListsThatAskForIt) {
  put(finished_run("shown"));
  ASSERT_TRUE(archive().ok());
  EXPECT_THAT(keys({}), ElementsAre("shown", "edited"));
  EXPECT_THAT(keys({.hides_archived = true}), ElementsAre("shown"));
  EXPECT_EQ(*store_.count({.hides_archived = true}), 1);
  EXPECT_EQ(*store_.count({.hides_archived = true, .words = {"lenet"}}), 1);
  EXPECT_EQ(store_.group({.hides_archived = true}, "model", "wall_s", 9)->front().count, 1);
  EXPECT_THAT(keys({.filters = {*parse_filter("archived=1")}, .hides_archived = true}),
              ElementsAre("edited"));
  EXPECT_THAT(keys({.words = {"base 2"}}), ElementsAre("edited"));
}

}  // namespace
}  // namespace tacho
