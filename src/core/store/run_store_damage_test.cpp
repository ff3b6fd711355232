#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/store/run_store.h"
#include "core/store/test_runs.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class RunStoreDamageTest : public testing::Test {
 protected:
  // Returns the bytes of an undamaged store with 20 runs.
  std::string sound_store() const {
    const auto file = folder_.path() / "sound.db";
    {
      auto store = *RunStore::open(file);
      for (int i = 0; i < 20; ++i) {
        EXPECT_TRUE(store.put(finished_run("key " + std::to_string(i)), "/runs").ok());
      }
    }
    return *read_file(file);
  }

  void write(std::string_view bytes) const {
    std::filesystem::remove(file_.string() + "-wal");
    std::filesystem::remove(file_.string() + "-shm");
    ASSERT_TRUE(write_file_atomically(file_, bytes).ok());
  }

  ScratchFolder folder_;
  std::filesystem::path file_ = folder_.path() / "store.db";
};

TEST_F(RunStoreDamageTest, AnEmptyFileBecomesAStore) {
  write("");
  auto store = RunStore::open(file_);
  ASSERT_TRUE(store.ok()) << store.error().message;
  EXPECT_EQ(*store->count({}), 0);
}

TEST_F(RunStoreDamageTest, ATextFileIsRefusedAndNotModified) {
  for (const std::string& text : {std::string("no"), std::string(5000, 'x')}) {
    write(text);
    const auto store = RunStore::open(file_);
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, ErrorCode::invalid);
    EXPECT_EQ(
        store.error().message,
        file_.string() +
            ": is not a Tacho store or is damaged; move it and rebuild the store with 'tacho runs "
            "ingest FOLDER'");
    EXPECT_EQ(*read_file(file_), text);
  }
}

TEST_F(RunStoreDamageTest, ATruncatedStoreIsRefused) {
  const std::string whole = sound_store();
  // SQLite reads one byte as an empty file, and does not need the end of the last page.
  for (std::size_t size = 2; size < whole.size() - 4096; size += 1999) {
    write(std::string_view(whole).substr(0, size));
    const auto store = RunStore::open(file_);
    ASSERT_FALSE(store.ok()) << size;
    EXPECT_EQ(store.error().code, ErrorCode::invalid) << store.error().message;
  }
}

// Any bytes give a result or an error; the sanitizers check the rest.
TEST_F(RunStoreDamageTest, DamageCausesNothingWorseThanAnError) {
  const std::string whole = sound_store();
  std::mt19937 random(7);
  const auto below = [&random](std::size_t end) {
    return std::uniform_int_distribution<std::size_t>(0, end - 1)(random);
  };
  int refused = 0;
  for (int round = 0; round < 100; ++round) {
    std::string damaged = whole;
    for (int i = 0; i < 40; ++i) damaged[below(whole.size())] = static_cast<char>(below(256));
    write(damaged);
    auto store = RunStore::open(file_);
    bool sound = store.ok();
    if (sound) {
      sound &= store->list({.sort = "wall_s"}).ok();
      sound &= store->list({.filters = {*parse_filter("top1>0")}}).ok();
      for (int id = 1; id <= 20; ++id) sound &= store->find(std::to_string(id)).ok();
      sound &= store->put(finished_run("new"), "/runs").ok();
      sound &= store->remove(3).ok();
    }
    refused += sound ? 0 : 1;
  }
  EXPECT_GT(refused, 0);
}

TEST_F(RunStoreDamageTest, ARecordThatCannotBeReadNamesItsRun) {
  write(sound_store());
  ASSERT_TRUE(Database::open(file_)
                  ->execute("UPDATE run_records SET record = '{\"version\":1' WHERE run_id = 1;"
                            "UPDATE run_records SET record = '{\"version\":99}' WHERE run_id = 2;"
                            "DELETE FROM run_records WHERE run_id = 3;"
                            "UPDATE runs SET outcome = 'fine' WHERE id = 4")
                  .ok());
  auto store = *RunStore::open(file_);
  EXPECT_THAT(store.find("1").error().message, StartsWith("run 1: not JSON"));
  EXPECT_EQ(store.find("2").error().code, ErrorCode::newer);
  EXPECT_EQ(store.find("3").error().message, "run 3: its record is missing");
  EXPECT_EQ(store.find("4").error().code, ErrorCode::invalid);
}

TEST_F(RunStoreDamageTest, AHugeIdIsDamage) {
  write(sound_store());
  ASSERT_TRUE(
      Database::open(file_)->execute("UPDATE runs SET id = 1152921504606846976 WHERE id = 5").ok());
  auto store = *RunStore::open(file_);
  EXPECT_EQ(store.count({.filters = {*parse_filter("outcome=ok")}}).error().code,
            ErrorCode::invalid);
}

TEST_F(RunStoreDamageTest, ErrorsNameAnUnusablePath) {
  const auto on_folder = RunStore::open(folder_.path());
  ASSERT_FALSE(on_folder.ok());
  EXPECT_EQ(on_folder.error().code, ErrorCode::io);
  EXPECT_THAT(on_folder.error().message, StartsWith(folder_.path().string() + ": cannot be "));
  const auto in_proc = RunStore::open("/proc/nope/store.db");
  ASSERT_FALSE(in_proc.ok());
  EXPECT_EQ(in_proc.error().code, ErrorCode::io);
  EXPECT_THAT(in_proc.error().message, HasSubstr("/proc/nope: cannot be created"));
}

}  // namespace
}  // namespace tacho
