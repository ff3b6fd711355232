#include "training/train/input/folder_images.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "training/image/test_images.h"
#include "training/train/input/pipeline.h"

namespace tacho {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class Folder {
 public:
  Folder() : root_(fs::path(testing::TempDir()) / "tacho-folder-images") {
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  ~Folder() { fs::remove_all(root_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  void add(const std::string& name, const std::vector<std::uint8_t>& bytes, std::int64_t label) {
    std::ofstream(root_ / name, std::ios::binary)
        .write(reinterpret_cast<const char*>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    list_.root = root_;
    list_.files.push_back(name);
    list_.labels.push_back(label);
  }
  // Adds twenty different pictures.
  void add_pictures() {
    for (int i = 0; i < 20; ++i) {
      add(std::to_string(i) + ".jpg", jpeg_bytes(soft_picture(40 + i, 30)), i);
    }
  }
  [[nodiscard]] Pipeline pipeline(std::int64_t workers) const {
    const FolderImages::Options options{.shape = {.channels = 3, .height = 16, .width = 16},
                                        .batch = 8,
                                        .order = SampleOrder::shuffled,
                                        .seed = 5,
                                        .augmentation = Augmentation::training()};
    return {std::make_unique<FolderImages>(list_, options), 8, workers};
  }

 private:
  fs::path root_;
  ImageList list_;
};

std::vector<float> two_epochs(Pipeline source) {
  std::vector<float> seen;
  for (const std::int64_t epoch : {1, 2}) {
    source.begin_epoch(epoch);
    Batch batch;
    while (*source.next(batch)) {
      const float* pixels = batch.inputs.data_ptr<float>();
      seen.insert(seen.end(), pixels, pixels + batch.inputs.numel());
      for (std::int64_t i = 0; i < batch.size(); ++i) {
        seen.push_back(static_cast<float>(batch.labels[i].item<std::int64_t>()));
      }
    }
  }
  return seen;
}

TEST(FolderImages, BatchesAreTheSameForOneTwoAndSevenWorkers) {
  Folder folder;
  folder.add_pictures();
  const auto alone = two_epochs(folder.pipeline(0));
  EXPECT_EQ(alone.size(), 2U * 20 * (3 * 16 * 16 + 1));
  for (const std::int64_t workers : {1, 2, 7}) {
    EXPECT_EQ(two_epochs(folder.pipeline(workers)), alone) << workers;
  }
}

TEST(FolderImages, AnUnreadableFileIsReportedAndReplacedByTheNext) {
  Folder folder;
  folder.add("broken.jpg", {0xFF, 0xD8, 0xFF, 0xE0, 0, 1, 2, 3}, 77);
  folder.add_pictures();
  for (const std::int64_t workers : {0, 3}) {
    Pipeline source = folder.pipeline(workers);
    source.begin_epoch(1);
    Batch batch;
    std::int64_t rows = 0;
    while (true) {
      const auto more = source.next(batch);
      ASSERT_TRUE(more.ok()) << more.error().message;
      if (!*more) break;
      rows += batch.size();
      EXPECT_FALSE((batch.labels == 77).any().item<bool>());
    }
    EXPECT_EQ(rows, 21);
    const auto notes = source.take_notes();
    ASSERT_EQ(notes.size(), 1U);
    EXPECT_THAT(notes[0], HasSubstr("broken.jpg"));
  }
}

TEST(FolderImages, ManyUnreadableFilesAreAnError) {
  Folder folder;
  folder.add_pictures();
  for (int i = 0; i < 15; ++i) folder.add("b" + std::to_string(i) + ".jpg", {1, 2, 3}, 0);
  Pipeline source = folder.pipeline(2);
  source.begin_epoch(1);
  Batch batch;
  std::string problem;
  for (int i = 0; i < 5 && problem.empty(); ++i) {
    const auto more = source.next(batch);
    if (!more.ok()) problem = more.error().message;
  }
  EXPECT_THAT(problem, HasSubstr("images cannot be read, the last one "));
}

}  // namespace
}  // namespace tacho
