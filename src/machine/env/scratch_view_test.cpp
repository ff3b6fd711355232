#include "machine/env/scratch_view.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <functional>
#include <iterator>

#include "base/file.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;

class ScratchViewTest : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_ / "shared");
    ASSERT_TRUE(write_file_atomically(folder_ / "old", "before").ok());
  }

  // In a child, because the namespace cannot be left.
  void in_child(const std::function<bool(Result<ScratchView>&)>& holds) {
    const pid_t child = ::fork();
    if (child == 0) {
      auto view = ScratchView::enter({folder_}, {folder_ / "shared"});
      if (!view.ok()) {
        fprintf(stderr, "%s\n", view.error().message.c_str());
        ::_exit(2);
      }
      const bool held = holds(view);
      ::_exit(held ? 0 : 1);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "SKIPPED: no mount namespace here";
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }

  ScratchFolder root_;
  fs::path folder_ = root_.path() / "a, b:c";
};

TEST_F(ScratchViewTest, ShowsTheFilesAndKeepsTheirContent) {
  in_child([&](Result<ScratchView>&) {
    return *read_file(folder_ / "old") == "before" &&
           write_file_atomically(folder_ / "old", "after").ok() &&
           write_file_atomically(folder_ / "new", "x").ok() &&
           *read_file(folder_ / "old") == "after";
  });
  EXPECT_EQ(*read_file(folder_ / "old"), "before");
  EXPECT_FALSE(fs::exists(folder_ / "new"));
}

TEST_F(ScratchViewTest, ResetForgetsWhatWasWritten) {
  in_child([&](Result<ScratchView>& view) {
    return write_file_atomically(folder_ / "new", "x").ok() && fs::remove(folder_ / "old") &&
           view->reset().ok() && !fs::exists(folder_ / "new") && fs::exists(folder_ / "old");
  });
}

TEST_F(ScratchViewTest, LeavesNothingInTheTemporaryFolder) {
  const fs::path before = fs::temp_directory_path();
  ::setenv("TMPDIR", folder_.c_str(), 1);
  in_child([&](Result<ScratchView>& view) {
    const bool written = write_file_atomically(folder_ / "new", "x").ok();
    const ScratchView ends = *std::move(view);
    return written;
  });
  ::setenv("TMPDIR", before.c_str(), 1);
  EXPECT_EQ(std::distance(fs::directory_iterator(folder_), {}), 2);  // old, shared
}

TEST_F(ScratchViewTest, AMountWithinTheFolderIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "SKIPPED: only root can mount";
  fs::create_directories(folder_ / "more data");
  const pid_t child = ::fork();
  if (child == 0) {
    if (::unshare(CLONE_NEWNS) != 0 ||
        ::mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        ::mount("none", (folder_ / "more data").c_str(), "tmpfs", 0, nullptr) != 0) {
      ::_exit(2);
    }
    const auto view = ScratchView::enter({folder_}, {folder_ / "shared"});
    const bool named = !view.ok() && view.error().message.find("more data") != std::string::npos;
    const auto shared = ScratchView::enter({folder_}, {folder_ / "more data"});
    ::_exit(named && shared.ok() ? 0 : 1);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "SKIPPED: no mounts here";
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST_F(ScratchViewTest, SharedFoldersAreWritten) {
  in_child([&](Result<ScratchView>& view) {
    return write_file_atomically(folder_ / "shared" / "one", "1").ok() && view->reset().ok() &&
           write_file_atomically(folder_ / "shared" / "two", "2").ok();
  });
  EXPECT_TRUE(fs::exists(folder_ / "shared" / "one"));
  EXPECT_TRUE(fs::exists(folder_ / "shared" / "two"));
}

}  // namespace
}  // namespace tacho
