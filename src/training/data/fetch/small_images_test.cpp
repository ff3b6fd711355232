#include "training/data/fetch/small_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/fetch/prepare.h"
#include "training/data/fetch/test_dataset.h"
#include "training/data/fetch/test_pictures.h"
#include "training/data/fetch/test_tree.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::array kBatches = {DatasetFile{"data.bin", 3073}, DatasetFile{"test.bin", 3073}};

class PrepareSmallImages : public testing::Test {
 protected:
  Result<fs::path> prepare_from(const fs::path& from, const Watch& watch = {}) {
    return prepare(info_, from, home_, quiet, watch);
  }
  void write_folder() const {
    for (const auto& [path, content] : entries_) put(folder_ / path, content);
  }
  // Returns the error for the folder; nothing may be left behind.
  std::string problem() {
    fs::remove_all(folder_);
    write_folder();
    const auto made = prepare_from(folder_);
    if (made.ok()) return "none";
    EXPECT_THAT(tree(home_), ElementsAre("data/.pets.lock"));
    EXPECT_TRUE(made.error().message.starts_with(folder_.string())) << made.error().message;
    return made.error().message.substr(folder_.string().size());
  }
  void expect_prepared() {
    EXPECT_THAT(tree(home_), ElementsAre("data/.pets.lock", "data/pets/classes.tsv",
                                         "data/pets/eval.images", "data/pets/train.images"));
    EXPECT_EQ(summary_of(home_ / "data/pets/train.images"), "0:1 1:3 0:2 1:4 ");
    EXPECT_EQ(summary_of(home_ / "data/pets/eval.images"), "0:5 1:6 ");
    EXPECT_EQ(*read_file(home_ / "data/pets/classes.tsv"), "cat\t\t2\t1\ndog\t\t2\t1\n");
  }

  Entries entries_ = {
      {"test/cat/1.jpg", flat_jpeg(5, 32)},     {"test/dog/1.jpg", flat_jpeg(6, 32)},
      {"train/cat/1.jpg", flat_jpeg(1, 32)},    {"train/cat/2.png", flat_png(2, 32)},
      {"train/dog/1.jpg", flat_jpeg(3, 32, 1)}, {"train/dog/2.PNG", flat_png(4, 32, 1)}};
  DatasetInfo info_{.name = "pets",
                    .input = InputKind::image,
                    .help = "",
                    .classes = 2,
                    .files = kBatches,
                    .form = DatasetForm::cifar10,
                    .packing = Packing::small_images,
                    .side = 32,
                    .train_images = 4,
                    .eval_images = 2,
                    .needs = "pets.zip from somewhere",
                    .archive = "pets.zip",
                    .archive_folder = "pets"};
  const ScratchFolder scratch_;
  const fs::path folder_ = scratch_.path() / "from";
  const fs::path home_ = scratch_.path() / "home";
};

TEST_F(PrepareSmallImages, DecodesAFolderOfColourAndGreyImages) {
  write_folder();
  const auto made = prepare_from(folder_);
  ASSERT_TRUE(made.ok()) << made.error().message;
  expect_prepared();
  EXPECT_TRUE(check(verify(info_, *made, quiet)).ok());
}

TEST_F(PrepareSmallImages, DecodesAnArchive) {
  for (const ArchiveKind kind : {ArchiveKind::tar_gz, ArchiveKind::tar_xz, ArchiveKind::zip}) {
    Entries entries;
    for (const auto& [path, content] : entries_) entries.emplace_back("any/" + path, content);
    put(scratch_.path() / "archive", archive_bytes(entries, kind));
    fs::remove_all(home_);
    const auto made = prepare_from(scratch_.path() / "archive");
    ASSERT_TRUE(made.ok()) << made.error().message;
    expect_prepared();
  }
}

TEST_F(PrepareSmallImages, NamesAnImageThatDoesNotFit) {
  entries_[2].second = flat_jpeg(1, 48);
  EXPECT_EQ(problem(), "/train/cat/1.jpg: 48 x 48 pixels, expected 32 x 32");
  entries_[2].second = flat_jpeg(1, 32).substr(0, 300);
  EXPECT_THAT(problem(), HasSubstr("/train/cat/1.jpg: "));
}

TEST_F(PrepareSmallImages, ComparesTheCountsUnlessItIsASubset) {
  const Entries whole = entries_;
  const std::string hint = "; to prepare only a part, add --subset";
  entries_.pop_back();
  EXPECT_EQ(problem(), ": 1 training images of dog, expected 2" + hint);
  entries_ = whole;
  entries_.erase(entries_.begin());
  EXPECT_EQ(problem(), ": 1 evaluation images, expected 2" + hint);
  info_ = subset_of(info_);
  EXPECT_EQ(problem(), "none");
  EXPECT_EQ(summary_of(home_ / "data/pets/eval.images"), "1:6 ");
}

TEST_F(PrepareSmallImages, ReportsMissingPartsAndUnknownClasses) {
  entries_.emplace_back("test/cow/1.jpg", flat_jpeg(5, 32));
  EXPECT_EQ(problem(), "/test/cow/1.jpg: there is no class cow in train");
  entries_ = {{"train/cat/1.jpg", flat_jpeg(1, 32)}};
  EXPECT_EQ(problem(), ": contains no images in val/CLASS, valid/CLASS or test/CLASS");
  entries_ = {{"notes.txt", "x"}};
  EXPECT_EQ(problem(),
            ": contains neither pets.zip, its files nor images in train/CLASS and val/CLASS; get "
            "pets.zip from somewhere");
}

TEST_F(PrepareSmallImages, LeavesNothingBehindWhenStopped) {
  write_folder();
  int files = 0;
  const auto made = prepare_from(folder_, {.stopped = [&files] { return ++files > 8; }});
  EXPECT_EQ(made.error().message, "stopped; nothing was written");
  EXPECT_THAT(tree(home_), ElementsAre("data/.pets.lock"));
}

TEST_F(PrepareSmallImages, AreVerifiedByTheirChecksum) {
  write_folder();
  const fs::path file = *prepare_from(folder_) / "train.images";
  const std::string whole = *read_file(file);
  const auto state = [&](const std::string& bytes) {
    put(file, bytes);
    const auto reports = verify(info_, file.parent_path(), quiet);
    return std::string(kFileStates.of(reports.front().state)) + " " + reports.front().problem;
  };
  std::string wrong = whole;
  wrong.back() = static_cast<char>(wrong.back() ^ 1);
  EXPECT_EQ(state(wrong), "wrong checksum " + file.string() +
                              ": its content does not match its checksum; prepare the dataset "
                              "again");
  EXPECT_THAT(state(whole.substr(0, whole.size() - 1)), HasSubstr("unreadable " + file.string()));
  info_.side = 16;
  EXPECT_EQ(state(whole),
            "wrong size " + file.string() + ": images of 3 x 32 x 32, expected 3 x 16 x 16");
  fs::remove(file);
  EXPECT_EQ(verify(info_, file.parent_path(), quiet).front().state, FileState::missing);
}

}  // namespace
}  // namespace tacho
