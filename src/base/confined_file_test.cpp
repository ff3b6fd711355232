#include "base/confined_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scratch_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

class ConfinedFileTest : public testing::Test {
 protected:
  ConfinedFileTest() {
    fs::create_directories(run_ / "gpu");
    EXPECT_TRUE(write_file_atomically(scratch_.path() / "secret", "no").ok());
    EXPECT_TRUE(write_file_atomically(run_ / "output.log", "printed").ok());
    EXPECT_TRUE(write_file_atomically(run_ / "gpu" / "1.tgt", "trace").ok());
  }
  void expect_refused(const fs::path& file, int flags = O_RDONLY) const {
    const auto opened = open_confined(run_, file, flags);
    ASSERT_FALSE(opened.ok()) << file;
    EXPECT_EQ(opened.error().code, ErrorCode::invalid) << opened.error().message;
  }

  ScratchFolder scratch_;
  fs::path run_ = scratch_.path() / "run";
};

TEST_F(ConfinedFileTest, ReadsFilesOfTheFolderAtAnyDepth) {
  EXPECT_EQ(*read_confined(run_, "output.log"), "printed");
  EXPECT_EQ(*read_confined(run_, run_ / "output.log"), "printed");
  EXPECT_EQ(*read_confined(run_, run_ / "gpu" / "1.tgt"), "trace");
  EXPECT_EQ(*read_confined(run_, "gpu/../output.log"), "printed");
  EXPECT_EQ(read_confined(run_, "nowhere").error().code, ErrorCode::not_found);
  EXPECT_EQ(read_confined(run_ / "nowhere", "a").error().code, ErrorCode::not_found);
}

TEST_F(ConfinedFileTest, TheFolderItselfMayBeALink) {
  fs::create_directory_symlink(run_, scratch_.path() / "link");
  EXPECT_EQ(*read_confined(scratch_.path() / "link", "output.log"), "printed");
}

TEST_F(ConfinedFileTest, FollowsNoLinkBelowTheFolder) {
  fs::create_symlink(scratch_.path() / "secret", run_ / "link");
  fs::create_symlink("output.log", run_ / "within");
  fs::create_directory_symlink(scratch_.path(), run_ / "up");
  for (const char* file : {"link", "within", "up/secret", "up"}) expect_refused(file);
  expect_refused("link", O_RDWR | O_CREAT | O_APPEND);
}

TEST_F(ConfinedFileTest, OpensNothingOutsideOfTheFolder) {
  for (const char* file : {"../secret", "/etc/passwd", "//etc/passwd", "", ".", "..", "gpu",
                           "gpu/../../secret", "output.log/x"}) {
    expect_refused(file);
  }
  expect_refused(scratch_.path() / "secret");
}

// Without O_NONBLOCK the first of these would block forever.
TEST_F(ConfinedFileTest, RefusesPipesAndDevicesWithoutWaiting) {
  ASSERT_EQ(::mkfifo((run_ / "pipe").c_str(), 0600), 0);
  expect_refused("pipe");
  expect_refused("pipe", O_WRONLY | O_APPEND);
  EXPECT_EQ(open_confined("/dev", "null").error().code, ErrorCode::invalid);
}

TEST_F(ConfinedFileTest, RefusesWhatIsLargerThanTheLimit) {
  EXPECT_EQ(read_confined(run_, "output.log", Bytes{6}).error().code, ErrorCode::invalid);
  EXPECT_TRUE(read_confined(run_, "output.log", Bytes{7}).ok());
}

TEST_F(ConfinedFileTest, CreatesAFileForWriting) {
  const auto made = open_confined(run_, "new", O_WRONLY | O_CREAT | O_APPEND);
  ASSERT_TRUE(made.ok());
  ASSERT_TRUE(write_all(made->get(), "x", "new").ok());
  EXPECT_EQ(*read_confined(run_, "new"), "x");
}

TEST_F(ConfinedFileTest, LocksOnlyRegularFiles) {
  fs::create_symlink(scratch_.path() / "secret", run_ / "lock");
  EXPECT_EQ(FileLock::take(run_ / "lock", FileLock::Kind::shared).error().code, ErrorCode::invalid);
  ASSERT_EQ(::mkfifo((run_ / "pipe").c_str(), 0600), 0);
  EXPECT_EQ(FileLock::take(run_ / "pipe", FileLock::Kind::shared).error().code, ErrorCode::invalid);
}

}  // namespace
}  // namespace tacho
