#include "training/data/fetch/verify_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/data/fetch/test_dataset.h"

namespace tacho {
namespace {

using testing::ElementsAre;
namespace fs = std::filesystem;

class VerifyFolder : public testing::Test {
 protected:
  VerifyFolder() {
    for (const char* file :
         {"train/cat/1.jpg", "train/cat/2.jpg", "train/dog/3.jpg", "val/cat/4.jpg"}) {
      put(folder_ / file, jpeg(file));
    }
    put(folder_ / "classes.tsv", "cat\t\t2\t1\ndog\t\t1\t0\n");
  }

  // Returns the state of each part, then the first problem.
  std::vector<std::string> found() {
    std::vector<std::string> texts;
    const auto reports = verify(info_, folder_, quiet);
    for (const FileReport& report : reports) texts.emplace_back(kFileStates.of(report.state));
    const auto checked = check(reports);
    texts.push_back(checked.ok() ? "" : checked.error().message);
    return texts;
  }

  DatasetInfo info_{.name = "pets",
                    .input = InputKind::image,
                    .help = "",
                    .classes = 2,
                    .form = DatasetForm::image_folder};
  const ScratchFolder scratch_;
  const fs::path folder_ = scratch_.path() / "pets";
};

TEST_F(VerifyFolder, AcceptsACompleteFolder) {
  EXPECT_THAT(found(), ElementsAre("ok", "ok", ""));
  fs::remove(folder_ / "classes.tsv");
  EXPECT_THAT(found(), ElementsAre("ok", "ok", ""));
}

TEST_F(VerifyFolder, NamesAClassWithAWrongCount) {
  fs::remove(folder_ / "train/cat/2.jpg");
  EXPECT_THAT(found(), ElementsAre("wrong count", "ok",
                                   (folder_ / "train/cat").string() + ": 1 images, expected 2"));
  put(folder_ / "train/cat/2.jpg", jpeg(""));
  put(folder_ / "val/dog/5.jpg", jpeg(""));
  EXPECT_THAT(found(), ElementsAre("ok", "wrong count",
                                   (folder_ / "val/dog").string() + ": 1 images, expected 0"));
  fs::remove_all(folder_ / "val/dog");
  put(folder_ / "train/emu/6.jpg", jpeg(""));
  EXPECT_THAT(found(), ElementsAre("wrong count", "ok",
                                   (folder_ / "train/emu").string() + ": 1 images, expected 0"));
}

TEST_F(VerifyFolder, ComparesWithThePublishedNumbersWithoutATable) {
  fs::remove(folder_ / "classes.tsv");
  info_.train_images = 3;
  info_.eval_images = 2;
  EXPECT_THAT(found(), ElementsAre("ok", "wrong count",
                                   (folder_ / "val").string() + ": 1 images, expected 2"));
}

TEST_F(VerifyFolder, NamesTheFirstInvalidImageAndCountsTheOthers) {
  put(folder_ / "train/cat/1.jpg", "GIF89a");
  EXPECT_THAT(found(),
              ElementsAre("unreadable", "ok",
                          (folder_ / "train/cat/1.jpg").string() + ": not a JPEG or PNG image"));
  put(folder_ / "train/dog/3.jpg", "");
  EXPECT_THAT(found(), ElementsAre("unreadable", "ok",
                                   (folder_ / "train/cat/1.jpg").string() +
                                       ": not a JPEG or PNG image, and 1 more"));
}

TEST_F(VerifyFolder, ReportsMissingAndDamagedFiles) {
  put(folder_ / "classes.tsv", "cat\n");
  EXPECT_THAT(found(),
              ElementsAre("ok", "ok", "unreadable",
                          (folder_ / "classes.tsv").string() + ": line 1: '' is not a count"));
  fs::remove_all(folder_ / "val");
  EXPECT_THAT(found(),
              ElementsAre("missing", (folder_ / "val").string() + ": No such file or directory"));
}

TEST_F(VerifyFolder, ReportsProgress) {
  std::vector<std::int64_t> done;
  verify(info_, folder_, quiet, {.progress = [&done](const Progress& now) {
           EXPECT_EQ(now.total, 4);
           EXPECT_EQ(now.unit, Progress::Unit::files);
           done.push_back(now.done);
         }});
  EXPECT_THAT(done, ElementsAre(0, 1, 2, 3));
}

}  // namespace
}  // namespace tacho
