#include "core/store/stored_folder.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "core/store/migrations.h"
#include "core/store/run_store.h"
#include "core/store/test_runs.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

constexpr const char* kKey = "20260101-000000-abcdef";

class StoredFolderTest : public testing::Test {
 protected:
  static fs::path folder_in(const fs::path& file, std::string_view key) {
    return RunStore::open(file)->find(key)->row.folder;
  }
  // A store of a version with absolute folders.
  static void make_earlier_store(const fs::path& file, const fs::path& run_folder) {
    EXPECT_TRUE(make_folders(file.parent_path()).ok());
    auto database = *Database::open(file);
    constexpr std::size_t kWithAbsoluteFolders = 7;
    EXPECT_TRUE(migrate(database, store_migrations().first(kWithAbsoluteFolders)).ok());
    EXPECT_TRUE(
        database
            .execute(fmt::format(
                "INSERT INTO runs (key, folder, created_at, model, data, batch, epochs, device, "
                "environment, seed, outcome) VALUES ('{}', '{}', 1000, 'lenet5', 'fashion-mnist', "
                "64, 1, 'cpu', 'bare', 0, 'ok'); INSERT INTO run_records VALUES (1, '{}')",
                kKey, run_folder.string(), json_text(to_json(finished_run(kKey)))))
            .ok());
  }

  ScratchFolder scratch_;
  fs::path home_ = scratch_.path() / "home";
  fs::path moved_ = scratch_.path() / "moved";
};

TEST_F(StoredFolderTest, IsRelativeBelowTheHomeAndAbsoluteElsewhere) {
  EXPECT_EQ(stored_folder("/a/home", "/a/home/runs/1"), "runs/1");
  EXPECT_EQ(stored_folder("/a/home", "/a/home-2/runs/1"), "/a/home-2/runs/1");
  EXPECT_EQ(stored_folder("/a/home", "/a/home"), "/a/home");
  EXPECT_EQ(resolved_folder("/a/home", "runs/1"), "/a/home/runs/1");
  EXPECT_EQ(resolved_folder("/a/home", "/b/1"), "/b/1");
}

TEST_F(StoredFolderTest, AHomeMayBeALink) {
  fs::create_directories(home_ / "runs" / "1");
  fs::create_directory_symlink(home_, scratch_.path() / "link");
  EXPECT_EQ(stored_folder(scratch_.path() / "link", home_ / "runs" / "1"), "runs/1");
  EXPECT_EQ(stored_folder(home_, scratch_.path() / "link" / "runs" / "1"), "runs/1");
}

TEST_F(StoredFolderTest, AMovedStoreFindsItsRuns) {
  const fs::path elsewhere = scratch_.path() / "elsewhere" / "runs" / "20260101-000000-aaaaaa";
  {
    auto store = *RunStore::open(home_ / "tacho.db");
    ASSERT_TRUE(store.put(finished_run(kKey), home_ / "runs" / kKey).ok());
    ASSERT_TRUE(store.put(finished_run("20260101-000000-aaaaaa"), elsewhere).ok());
  }
  fs::rename(home_, moved_);
  EXPECT_EQ(folder_in(moved_ / "tacho.db", kKey), moved_ / "runs" / kKey);
  EXPECT_EQ(folder_in(moved_ / "tacho.db", "20260101-000000-aaaaaa"), elsewhere);
}

TEST_F(StoredFolderTest, AMovedStoreOfAnEarlierVersionFindsItsRuns) {
  make_earlier_store(home_ / "tacho.db", home_ / "runs" / kKey);
  fs::create_directories(home_ / "runs" / kKey);
  fs::rename(home_, moved_);
  EXPECT_EQ(folder_in(moved_ / "tacho.db", kKey), moved_ / "runs" / kKey);
}

TEST_F(StoredFolderTest, AStoreOfAnEarlierVersionKeepsFoldersOutsideOfTheHome) {
  const fs::path elsewhere = scratch_.path() / "elsewhere" / "runs" / kKey;
  fs::create_directories(elsewhere);
  fs::create_directories(home_ / "runs" / kKey);
  make_earlier_store(home_ / "tacho.db", elsewhere);
  EXPECT_EQ(folder_in(home_ / "tacho.db", kKey), elsewhere);
}

}  // namespace
}  // namespace tacho
