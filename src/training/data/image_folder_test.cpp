#include "training/data/image_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

class LoadImageFolder : public testing::Test {
 protected:
  LoadImageFolder() {
    for (const char* file : {"train/dog/2.JPEG", "train/dog/1.jpg", "train/cat/b.png",
                             "train/cat/a.Jpeg", "val/dog/9.jpg"}) {
      put(folder_ / file, "");
    }
  }

  std::string problem() {
    const auto images = load_image_folder(folder_);
    return images.ok() ? "none" : images.error().message;
  }

  const ScratchFolder scratch_;
  const fs::path folder_ = scratch_.path() / "pets";
};

TEST_F(LoadImageFolder, ListsBothPartsByClassAndName) {
  const auto images = load_image_folder(folder_);
  ASSERT_TRUE(images.ok()) << images.error().message;
  EXPECT_EQ(images->train.root, folder_);
  EXPECT_THAT(images->train.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(images->train.files, ElementsAre("train/cat/a.Jpeg", "train/cat/b.png",
                                               "train/dog/1.jpg", "train/dog/2.JPEG"));
  EXPECT_THAT(images->train.labels, ElementsAre(0, 0, 1, 1));
  EXPECT_THAT(images->eval.classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(images->eval.files, ElementsAre("val/dog/9.jpg"));
  EXPECT_THAT(images->eval.labels, ElementsAre(1));
  EXPECT_EQ(images->skipped, 0);
}

TEST_F(LoadImageFolder, UsesValidOrTestWithoutVal) {
  fs::rename(folder_ / "val", folder_ / "test");
  EXPECT_THAT(load_image_folder(folder_)->eval.files, ElementsAre("test/dog/9.jpg"));
  put(folder_ / "valid/cat/3.jpg", "");
  EXPECT_THAT(load_image_folder(folder_)->eval.files, ElementsAre("valid/cat/3.jpg"));
}

TEST_F(LoadImageFolder, CountsOtherFilesAndIgnoresHiddenOnes) {
  for (const char* file :
       {"train/readme.txt", "train/dog/Thumbs.db", "val/dog/more/1.jpg", "train/.DS_Store",
        "train/.git/x", "train/dog/.3.jpg", "train/dog/jpg"}) {
    put(folder_ / file, "");
  }
  const auto images = load_image_folder(folder_);
  ASSERT_TRUE(images.ok()) << images.error().message;
  EXPECT_EQ(images->train.files.size(), 4U);
  EXPECT_EQ(images->eval.files.size(), 1U);
  EXPECT_EQ(images->skipped, 4);
}

TEST_F(LoadImageFolder, FollowsLinks) {
  put(scratch_.path() / "elsewhere/x.jpg", "");
  fs::create_directory_symlink(scratch_.path() / "elsewhere", folder_ / "train/emu");
  fs::create_symlink(scratch_.path() / "elsewhere/x.jpg", folder_ / "train/cat/link.jpg");
  fs::create_symlink("/nonexistent", folder_ / "train/cat/broken.jpg");
  const auto images = load_image_folder(folder_);
  ASSERT_TRUE(images.ok()) << images.error().message;
  EXPECT_THAT(images->train.classes, ElementsAre("cat", "dog", "emu"));
  EXPECT_EQ(images->train.files.size(), 6U);
  EXPECT_EQ(images->skipped, 1);
}

TEST_F(LoadImageFolder, NamesAClassWithoutTrainingImages) {
  put(folder_ / "val/emu/1.jpg", "");
  EXPECT_EQ(problem(), (folder_ / "val/emu").string() + ": there is no such class in " +
                           (folder_ / "train").string());
}

TEST_F(LoadImageFolder, RejectsAnEmptyClassExceptInEvaluation) {
  fs::create_directory(folder_ / "val/cat");
  EXPECT_EQ(problem(), "none");
  put(folder_ / "train/ant/notes.txt", "");
  EXPECT_EQ(problem(), (folder_ / "train/ant").string() +
                           ": contains no image (.jpg, .jpeg or .png); add some or remove it");
}

TEST_F(LoadImageFolder, NamesAMissingOrEmptyPart) {
  fs::remove_all(folder_ / "val/dog");
  EXPECT_EQ(problem(), (folder_ / "val").string() +
                           ": contains no image (.jpg, .jpeg or .png); add some or remove it");
  fs::remove_all(folder_ / "val");
  EXPECT_EQ(problem(), (folder_ / "val").string() + ": No such file or directory");
  fs::remove_all(folder_ / "train");
  EXPECT_EQ(problem(), (folder_ / "train").string() + ": No such file or directory");
  put(folder_ / "train/1.jpg", "");
  EXPECT_EQ(problem(),
            (folder_ / "train").string() + ": contains no class; create one folder per class");
}

TEST(ImageMagic, MatchesJpegAndPng) {
  EXPECT_TRUE(begins_like_an_image("\xFF\xD8\xFF\xE0 and more"));
  EXPECT_TRUE(begins_like_an_image("\x89PNG\r\n\x1A\n"));
  EXPECT_FALSE(begins_like_an_image("\xFF\xD8"));
  EXPECT_FALSE(begins_like_an_image("GIF89a"));
  EXPECT_FALSE(begins_like_an_image(""));
}

}  // namespace
}  // namespace tacho
