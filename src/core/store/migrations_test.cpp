#include "core/store/migrations.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/store/run_store.h"
#include "core/store/test_runs.h"

namespace tacho {
namespace {

using testing::EndsWith;
using testing::HasSubstr;

class MigrationsTest : public testing::Test {
 protected:
  ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "store.db";

  void execute(const std::string& sql) const {
    const auto done = Database::open(file_)->execute(sql);
    ASSERT_TRUE(done.ok()) << done.error().message;
  }
};

// Inserts a run like the SQL of version 1, with or without metrics.
std::string insert_run_sql() {
  return "INSERT INTO runs (key, folder, created_at, model, data, batch, epochs, device, "
         "environment, seed, outcome) VALUES ('20260101-000000-abcdef', '/runs/a', 1000, 'lenet5', "
         "'fashion-mnist', 64, 1, 'cpu', 'bare', 0, 'ok');"
         "INSERT INTO run_records VALUES (1, '" +
         json_text(to_json(finished_run("20260101-000000-abcdef"))) + "')";
}

TEST_F(MigrationsTest, EveryEarlierVersionOpensAndKeepsItsRuns) {
  const auto all = store_migrations();
  for (std::size_t version = 1; version <= all.size(); ++version) {
    std::filesystem::remove(file_);
    {
      auto database = *Database::open(file_);
      ASSERT_TRUE(migrate(database, all.first(version)).ok());
      ASSERT_TRUE(database.execute(insert_run_sql()).ok());
    }
    {
      auto store = *RunStore::open(file_);
      const auto run = store.find("20260101-000000-abcdef");
      ASSERT_TRUE(run.ok()) << "version " << version << ": " << run.error().message;
      EXPECT_EQ(run->row.model, "lenet5");
      EXPECT_EQ(run->record.steps.seconds.size(), 2U);
      ASSERT_EQ(store.list({.sort = "top1"})->size(), 1U);
      ASSERT_EQ(*store.put(finished_run("20260101-000000-abcdef", 0.75), "/runs/a"), 1);
      EXPECT_EQ(store.list({.sort = "top1"})->front().metrics.front(), 0.75);
    }
    EXPECT_EQ(*Database::open(file_)->integer("PRAGMA user_version"), std::ssize(all));
  }
}

TEST_F(MigrationsTest, WhatProgramsSaidAboutTheirRunsBecomesColumns) {
  RunRecord record = finished_run("20260101-000000-abcdef");
  record.described = RunDescribed{.name = "base", .project = "digits", .tags = {"a", "b"}};
  {
    auto database = *Database::open(file_);
    ASSERT_TRUE(migrate(database, store_migrations().first(8)).ok());
    ASSERT_TRUE(database.execute(insert_run_sql()).ok());
    auto put = *database.prepare("UPDATE run_records SET record = ?");
    ASSERT_TRUE(put.bind(json_text(to_json(record))).run().ok());
  }
  const auto rows = RunStore::open(file_)->list({});
  ASSERT_TRUE(rows.ok());
  EXPECT_EQ(rows->front().name, "base");
  EXPECT_EQ(rows->front().project, "digits");
  EXPECT_EQ(rows->front().tags, "a, b");
}

TEST_F(MigrationsTest, ANewerStoreIsRefusedAndNotModified) {
  ASSERT_TRUE(RunStore::open(file_).ok());
  execute("PRAGMA user_version = 77");
  const std::string before = *read_file(file_);
  const auto opened = RunStore::open(file_);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().code, ErrorCode::newer);
  EXPECT_THAT(opened.error().message,
              EndsWith(fmt::format("store.db: written by a newer tacho (store version 77, this one "
                                   "knows {}); update tacho",
                                   store_migrations().size())));
  EXPECT_EQ(*read_file(file_), before);
}

TEST_F(MigrationsTest, AnotherProgramsDatabaseIsRefusedAndNotModified) {
  for (const char* sql : {"CREATE TABLE bookmarks (url)", "PRAGMA application_id = 252006674"}) {
    std::filesystem::remove(file_);
    execute(sql);
    const std::string before = *read_file(file_);
    const auto opened = RunStore::open(file_);
    ASSERT_FALSE(opened.ok());
    EXPECT_EQ(opened.error().code, ErrorCode::invalid);
    EXPECT_THAT(opened.error().message, HasSubstr("not a Tacho store"));
    EXPECT_EQ(*read_file(file_), before);
  }
}

TEST_F(MigrationsTest, AddsColumnsForNewMetrics) {
  ASSERT_TRUE(RunStore::open(file_)->put(finished_run("20260101-000000-abcdef"), "/runs/a").ok());
  execute("DROP INDEX runs_by_top1; ALTER TABLE runs DROP COLUMN top1");
  auto store = *RunStore::open(file_);
  EXPECT_EQ(store.list({.sort = "top1"})->front().metrics.front(), std::nullopt);
  ASSERT_TRUE(store.put(finished_run("20260101-000000-abcdef", 0.75), "/runs/a").ok());
  EXPECT_EQ(store.list({.sort = "top1"})->front().metrics.front(), 0.75);
}

TEST_F(MigrationsTest, ManyProcessesMayCreateTheStoreAtOnce) {
  for (int round = 0; round < 5; ++round) {
    std::filesystem::remove(file_);
    constexpr int kProcesses = 6;
    for (int i = 0; i < kProcesses; ++i) {
      if (::fork() == 0) {
        auto store = RunStore::open(file_);
        const auto put = store.ok() ? store->put(finished_run("run " + std::to_string(i)), "/runs")
                                    : Result<std::int64_t>(store.error());
        if (!put.ok()) std::fprintf(stderr, "%s\n", put.error().message.c_str());
        ::_exit(put.ok() ? 0 : 1);
      }
    }
    for (int i = 0; i < kProcesses; ++i) {
      int status = -1;
      ::wait(&status);
      EXPECT_EQ(status, 0);
    }
    EXPECT_EQ(*RunStore::open(file_)->count({}), kProcesses);
  }
}

}  // namespace
}  // namespace tacho
