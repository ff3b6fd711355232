#include "serving/dashboard/run_files.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho::serve {
namespace {

namespace fs = std::filesystem;

class RunFilesTest : public testing::Test {
 protected:
  RunFilesTest() {
    fs::create_directories(run_ / "checkpoints");
    fs::create_directories(folder_.path() / "run-2");
    EXPECT_TRUE(write_file_atomically(run_ / "events.jsonl", "{}").ok());
    EXPECT_TRUE(write_file_atomically(run_ / "checkpoints" / "a b", "{}").ok());
    EXPECT_TRUE(write_file_atomically(folder_.path() / "secret", "no").ok());
    EXPECT_TRUE(write_file_atomically(folder_.path() / "run-2" / "secret", "no").ok());
    fs::create_symlink(folder_.path() / "secret", run_ / "link");
    EXPECT_TRUE(write_file_atomically(run_ / "secrets.json", "{}").ok());
    fs::create_symlink("events.jsonl", run_ / "within");
    fs::create_directory_symlink(folder_.path(), run_ / "up");
    EXPECT_EQ(::mkfifo((run_ / "pipe").c_str(), 0600), 0);
  }
  ScratchFolder folder_;
  fs::path run_ = folder_.path() / "run";
};

TEST_F(RunFilesTest, FindsFilesInTheFolder) {
  EXPECT_TRUE(open_run_file(run_, "events.jsonl").ok());
  EXPECT_TRUE(open_run_file(run_, "checkpoints/a b").ok());
  EXPECT_TRUE(open_run_file(run_, "checkpoints/../events.jsonl").ok());
}

TEST_F(RunFilesTest, FindsNothingOutsideOfTheFolder) {
  for (const char* path :
       {"../secret", "../run-2/secret", "link", "up/secret", "up/run-2/secret", "/etc/passwd",
        "//etc/passwd", "checkpoints/../../secret", "", ".", "..", "checkpoints", "nowhere",
        "events.jsonl/x", "pipe", "within", "secrets.json", "./secrets.json"}) {
    const auto found = open_run_file(run_, path);
    ASSERT_FALSE(found.ok()) << path;
    EXPECT_EQ(found.error().code, ErrorCode::not_found) << path;
  }
}

}  // namespace
}  // namespace tacho::serve
