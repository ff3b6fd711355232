#include "training/data/fetch/partial_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/data/fetch/test_tree.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::ElementsAre;

class PartialFolderTest : public testing::Test {
 protected:
  const ScratchFolder scratch_;
  const std::filesystem::path path_ = scratch_.path() / "x.partial";
};

TEST_F(PartialFolderTest, KeepsFinishedPiecesBetweenAttempts) {
  {
    const auto folder = PartialFolder::open(path_, "archive 1");
    put(*folder->begin() / "file", "");
    ASSERT_TRUE(folder->finish("train/a").ok());
    put(*folder->begin() / "half", "");
  }
  const auto folder = PartialFolder::open(path_, "archive 1");
  EXPECT_TRUE(folder->has("train/a"));
  EXPECT_FALSE(folder->has("train/b"));
  EXPECT_THAT(tree(path_), ElementsAre(".origin", "train/a/file"));
  PartialFolder::tidy(path_);
  EXPECT_THAT(tree(path_), ElementsAre("train/a/file"));
}

TEST_F(PartialFolderTest, StartsOverWithAnotherOrigin) {
  put(path_ / "train/a/file", "");
  EXPECT_FALSE(PartialFolder::open(path_, "archive 1")->has("train/a"));
  put(path_ / "train/a/file", "");
  EXPECT_FALSE(PartialFolder::open(path_, "archive 2")->has("train/a"));
}

TEST_F(PartialFolderTest, IsRemovedCompletely) {
  const auto folder = PartialFolder::open(path_, "archive 1");
  put(*folder->begin() / "half", "");
  folder->remove();
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(PartialFolderTest, ReportsWhyItCannotBeCreated) {
  put(scratch_.path() / "file", "");
  EXPECT_FALSE(PartialFolder::open(scratch_.path() / "file/x.partial", "").ok());
}

}  // namespace
}  // namespace tacho
