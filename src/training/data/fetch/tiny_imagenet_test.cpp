#include "training/data/fetch/tiny_imagenet.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/fetch/test_dataset.h"
#include "training/data/fetch/test_pictures.h"
#include "training/data/fetch/test_tree.h"
#include "training/data/image_file.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

constexpr const char* kGold = "n00000001";
constexpr const char* kTench = "n00000002";

class PrepareTinyImagenet : public testing::Test {
 protected:
  PrepareTinyImagenet() {
    for (const std::string id : {kTench, kGold}) {
      entries_.emplace_back("train/" + id + "/" + id + "_boxes.txt", "0 0 1 1\n");
      for (const std::string number : {"0", "1"}) {
        entries_.emplace_back("train/" + id + "/images/" + id + "_" + number + ".JPEG",
                              flat_jpeg(id == kGold ? 10 : 20, 2, number == "1" ? 1 : 3));
      }
    }
    entries_.emplace_back("test/images/test_0.JPEG", flat_jpeg(99, 2));
    entries_.emplace_back("val/images/val_0.JPEG", flat_jpeg(40, 2));
    entries_.emplace_back("val/images/val_1.JPEG", flat_jpeg(50, 2));
    entries_.emplace_back("val/val_annotations.txt",
                          "val_0.JPEG\tn00000002\t0\t0\t1\t1\nval_1.JPEG\tn00000001\t0\t0\t1\t1\n");
    entries_.emplace_back("wnids.txt", "n00000002\nn00000001\n");
    entries_.emplace_back("words.txt", "n00000001\tgoldfish\nn00000002\ttench\n");
  }

  std::string& content(const std::string& path) {
    for (auto& [name, content] : entries_) {
      if (name == path) return content;
    }
    broken_invariant("no such entry");
  }

  Result<fs::path> prepare_from(const fs::path& from, const Watch& watch = {}) {
    return prepare_tiny_imagenet(info_, from, home_, quiet, watch);
  }

  Result<fs::path> prepare_zip(const Watch& watch = {}) {
    Entries entries;
    for (const auto& [path, content] : entries_) entries.emplace_back("tiny/" + path, content);
    put(zip_, archive_bytes(entries, ArchiveKind::zip));
    return prepare_from(zip_, watch);
  }

  // Returns the error for the archive; nothing may be left behind.
  std::string problem() {
    const auto folder = prepare_zip();
    if (folder.ok()) return "none";
    EXPECT_EQ(folder.error().code, ErrorCode::invalid);
    EXPECT_FALSE(fs::exists(data_ / "mini"));
    EXPECT_FALSE(fs::exists(data_ / ".mini.part"));
    EXPECT_THAT(folder.error().message, StartsWith(zip_.string() + ": "));
    return folder.error().message.substr(zip_.string().size() + 2);
  }

  void expect_prepared() {
    EXPECT_THAT(tree(data_), ElementsAre(".mini.lock", "mini/classes.tsv", "mini/eval.images",
                                         "mini/train.images"));
    // The classes alternate; the second image of each is grey.
    EXPECT_EQ(summary_of(data_ / "mini/train.images"), "0:10 1:20 0:10 1:20 ");
    EXPECT_EQ(summary_of(data_ / "mini/eval.images"), "0:50 1:40 ");
    EXPECT_THAT(ImageFile::open(data_ / "mini/train.images")->header().classes,
                ElementsAre(kGold, kTench));
    EXPECT_EQ(*read_file(data_ / "mini/classes.tsv"),
              "n00000001\tgoldfish\t2\t1\nn00000002\ttench\t2\t1\n");
  }

  Entries entries_;
  DatasetInfo info_{.name = "mini",
                    .input = InputKind::image,
                    .help = "",
                    .classes = 2,
                    .form = DatasetForm::image_folder,
                    .packing = Packing::tiny_imagenet,
                    .side = 2,
                    .train_images = 4,
                    .eval_images = 2,
                    .needs = "tiny.zip from somewhere",
                    .archive = "tiny.zip",
                    .archive_folder = "tiny"};
  const ScratchFolder scratch_;
  const fs::path zip_ = scratch_.path() / "from/tiny.zip";
  const fs::path home_ = scratch_.path() / "home";
  const fs::path data_ = home_ / "data";
};

TEST_F(PrepareTinyImagenet, DecodesImagesWithTheirClasses) {
  const auto folder = prepare_zip();
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_EQ(*folder, data_ / "mini");
  expect_prepared();
}

TEST_F(PrepareTinyImagenet, AcceptsTheUnpackedFolderAndAFolderWithEither) {
  const fs::path unpacked = scratch_.path() / "other/tiny";
  for (const auto& [path, content] : entries_) put(unpacked / path, content);
  ASSERT_TRUE(prepare_zip().ok());
  for (const fs::path& from : {unpacked, unpacked.parent_path(), zip_.parent_path()}) {
    fs::remove_all(data_);
    const auto folder = prepare_from(from);
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    expect_prepared();
  }
}

TEST_F(PrepareTinyImagenet, ReportsAFolderWithNeither) {
  const auto folder = prepare_from(scratch_.path());
  EXPECT_EQ(folder.error().message,
            scratch_.path().string() +
                ": contains neither tiny.zip, its files nor images in train/CLASS and val/CLASS; "
                "get tiny.zip from somewhere");
  EXPECT_EQ(prepare_from("/nonexistent").error().message,
            "/nonexistent: No such file or directory");
}

TEST_F(PrepareTinyImagenet, LeavesNothingBehindWhenStopped) {
  int images = 0;
  const auto folder = prepare_zip({.stopped = [&images] { return ++images > 16; }});
  EXPECT_EQ(folder.error().message, "stopped; nothing was written");
  EXPECT_THAT(tree(data_), ElementsAre(".mini.lock"));
  ASSERT_TRUE(prepare_zip().ok());
  expect_prepared();
}

TEST_F(PrepareTinyImagenet, RejectsOtherCounts) {
  info_.train_images = 2;
  const std::string hint = "; to prepare only a part, add --subset";
  EXPECT_EQ(problem(), "2 training images of n00000001, expected 1" + hint);
  info_.train_images = 6;
  EXPECT_EQ(problem(), "2 training images of n00000001, expected 3" + hint);
  info_.eval_images = 3;
  EXPECT_EQ(problem(), "2 images in val_annotations.txt, expected 3" + hint);
  info_.classes = 3;
  EXPECT_EQ(problem(), "2 classes in wnids.txt, expected 3" + hint);
}

TEST_F(PrepareTinyImagenet, RejectsAnImageWithoutLabelAndALabelWithoutImage) {
  content("val/val_annotations.txt") = "val_0.JPEG\tn00000002\nval_2.JPEG\tn00000002\n";
  EXPECT_EQ(problem(), "tiny/val/images/val_1.JPEG: not listed in val_annotations.txt");
  info_.eval_images = 3;
  content("val/val_annotations.txt") =
      "val_0.JPEG\tn00000002\nval_1.JPEG\tn00000002\nval_2.JPEG\tn00000002\n";
  EXPECT_EQ(problem(), "2 validation images, expected 3");
}

TEST_F(PrepareTinyImagenet, RejectsUnknownNames) {
  const std::string named = ": not named like an image of its class (expected n00000001_0.JPEG)";
  for (const auto& [path, expected] :
       Entries{{"train/n00000001/images/n00000002_7.JPEG", named},
               {"train/n00000001/n00000001_7.JPEG", named},
               {"train/n00000001/images/x/n00000001_7.JPEG", named},
               {"train/n00000003/images/n00000003_0.JPEG", ": its class is not in wnids.txt"},
               {"train/../../../evil", ": its path leads outside of the target folder"}}) {
    entries_.emplace_back(path, jpeg("x"));
    EXPECT_EQ(problem(), "tiny/" + path + expected);
    entries_.pop_back();
  }
  entries_.emplace_back("train/n00000001/images/n00000001_7.JPEG", "->/etc/passwd");
  EXPECT_THAT(problem(), HasSubstr("a link; only files are allowed"));
}

TEST_F(PrepareTinyImagenet, RejectsInvalidImagesAndTables) {
  content("val/images/val_1.JPEG") = "<html>";
  EXPECT_EQ(problem(),
            "tiny/val/images/val_1.JPEG: not a JPEG or PNG image: it begins with 3c68746d");
  content("val/images/val_1.JPEG") = flat_jpeg(50, 3);
  EXPECT_EQ(problem(), "tiny/val/images/val_1.JPEG: 3 x 3 pixels, expected 2 x 2");
  content("wnids.txt") = "tench\n";
  EXPECT_EQ(problem(), "tiny/wnids.txt: line 1: not a WordNet id such as n01443537: 'tench'");
  std::erase_if(entries_, [](const auto& entry) { return entry.first == "wnids.txt"; });
  EXPECT_EQ(problem(), "does not contain tiny/wnids.txt");
}

TEST_F(PrepareTinyImagenet, AcceptsOneFolderPerClass) {
  const fs::path from = scratch_.path() / "classes";
  for (const std::string id : {kTench, kGold}) {
    put(from / "train" / id / "a.jpg", flat_jpeg(id == kGold ? 10 : 20, 2));
    put(from / "train" / id / "b.png", flat_png(id == kGold ? 10 : 20, 2));
    put(from / "val" / id / "a.JPEG", flat_jpeg(id == kGold ? 50 : 40, 2));
  }
  const auto folder = prepare_from(from);
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_EQ(summary_of(*folder / "train.images"), "0:10 1:20 0:10 1:20 ");
  EXPECT_EQ(summary_of(*folder / "eval.images"), "0:50 1:40 ");
}

TEST_F(PrepareTinyImagenet, LeavesNothingBehindAfterADamagedArchive) {
  ASSERT_TRUE(prepare_zip().ok());
  const std::string whole = *read_file(zip_);
  std::mt19937 random(1);
  for (int i = 0; i < 100; ++i) {
    fs::remove_all(data_);
    put(zip_, mutated(whole, random));
    const auto folder = prepare_from(zip_);
    if (folder.ok()) {
      EXPECT_TRUE(fs::exists(data_ / "mini/classes.tsv"));
    } else if (fs::exists(data_)) {
      EXPECT_THAT(tree(data_), ElementsAre(".mini.lock")) << folder.error().message;
    }
  }
}

}  // namespace
}  // namespace tacho
