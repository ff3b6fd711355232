#include "machine/env/mount_point.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(MountPoint, IsAFolderForAFolderAndAFileForAFile) {
  const ScratchFolder image;
  const ScratchFolder source;
  const std::string file = source.path() / "labels.txt";
  ASSERT_TRUE(write_file_atomically(file, "a").ok());
  ASSERT_TRUE(make_mount_point(image.path(), {source.path(), "/data/train/"}).ok());
  EXPECT_TRUE(fs::is_directory(image.path() / "data/train"));
  ASSERT_TRUE(make_mount_point(image.path(), {file, "/data/labels.txt"}).ok());
  EXPECT_TRUE(fs::is_regular_file(image.path() / "data/labels.txt"));
  // Repeating it changes nothing.
  ASSERT_TRUE(make_mount_point(image.path(), {file, "/data/labels.txt"}).ok());
}

TEST(MountPoint, NeverLeavesTheImage) {
  const ScratchFolder image;
  const ScratchFolder elsewhere;
  fs::create_directory_symlink(elsewhere.path(), image.path() / "srv");
  const auto made = make_mount_point(image.path(), {elsewhere.path(), "/srv/data"});
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message, HasSubstr("is a link in the image"));
  ASSERT_TRUE(make_mount_point(image.path(), {elsewhere.path(), "/a/../../../b"}).ok());
  EXPECT_TRUE(fs::is_directory(image.path() / "b"));
  EXPECT_TRUE(fs::is_empty(elsewhere.path()));
}

TEST(MountPoint, IsNotCreatedInFoldersOfTheMachine) {
  const ScratchFolder image;
  ASSERT_TRUE(make_mount_point(image.path(), {image.path(), "/tmp/x"}).ok());
  EXPECT_TRUE(fs::is_empty(image.path()));
}

}  // namespace
}  // namespace tacho
