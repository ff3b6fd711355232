#include "training/data/image_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/image_data.h"
#include "training/data/image_file_writer.h"
#include "training/data/locate.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

using Bytes8 = std::vector<std::uint8_t>;

// Two images of 3 x 1 x 2 pixels, the second one written first.
Result<void> write_pair(const fs::path& path, const std::vector<std::string>& classes) {
  const std::vector<std::int64_t> labels = {1, 0};
  TACHO_TRY(writer,
            ImageFileWriter::create(
                path, {.channels = 3, .height = 1, .width = 2, .classes = classes}, labels));
  TACHO_CHECK(writer.put(1, Bytes8{255, 255, 8, 9, 10, 11}));
  TACHO_CHECK(writer.put(0, Bytes8{0, 0, 2, 3, 4, 5}));
  return writer.finish();
}

class ImageFileTest : public testing::Test {
 protected:
  ImageFileTest() {
    EXPECT_TRUE(write_pair(path_, {"cat", "dog"}).ok());
    whole_ = *read_file(path_);
  }

  // Returns the error for a file with these bytes, without the part that all have in common.
  std::string problem(const std::string& bytes) {
    put(path_, bytes);
    const auto file = ImageFile::open(path_);
    if (file.ok()) return "none";
    const std::string& message = file.error().message;
    EXPECT_TRUE(message.starts_with(path_.string() + ": ")) << message;
    return message.substr(path_.string().size() + 2);
  }
  [[nodiscard]] std::string with(std::size_t at, std::string_view bytes) const {
    return std::string(whole_).replace(at, bytes.size(), bytes);
  }

  const ScratchFolder scratch_;
  const fs::path path_ = scratch_.path() / "train.images";
  std::string whole_;
};

constexpr const char* kDamaged = "; the file is damaged, prepare the dataset again";

TEST_F(ImageFileTest, HasTheImagesInOrderWithTheirLabels) {
  const auto file = ImageFile::open(path_);
  ASSERT_TRUE(file.ok()) << file.error().message;
  EXPECT_EQ(file->header().count, 2);
  EXPECT_EQ(file->header().height, 1);
  EXPECT_EQ(file->header().width, 2);
  EXPECT_THAT(file->header().classes, ElementsAre("cat", "dog"));
  EXPECT_THAT(file->labels(), ElementsAre(1, 0));
  EXPECT_THAT(file->pixels(), ElementsAre(0, 0, 2, 3, 4, 5, 255, 255, 8, 9, 10, 11));
  EXPECT_TRUE(file->checksum_matches());
}

TEST_F(ImageFileTest, HasTheStatisticsOfItsChannels) {
  const auto file = ImageFile::open(path_);
  EXPECT_FLOAT_EQ(file->header().statistics.mean[0], 0.5);
  EXPECT_FLOAT_EQ(file->header().statistics.deviation[0], 0.5);
  EXPECT_FLOAT_EQ(file->header().statistics.mean[2], 7.5 / 255);
}

TEST_F(ImageFileTest, HasTheDocumentedLayout) {
  EXPECT_EQ(whole_.substr(0, 12), std::string("TACHOIMG\1\0\0\0", 12));
  EXPECT_EQ(whole_.substr(44, 28), std::string("\2\0\0\0\0\0\0\0\3\0\0\0\1\0\0\0\2\0\0\0\2\0\0\0"
                                               "\10\0\0\0",
                                               28));
  EXPECT_EQ(whole_.substr(96, 12), std::string("cat\ndog\n\1\0\0\0", 12));
  EXPECT_EQ(whole_.size(), 96U + 8 + 2 * 2 + 2 * 6);
}

TEST_F(ImageFileTest, RefusesAnotherSize) {
  EXPECT_EQ(problem(""), "not a file of prepared images; prepare the dataset again");
  EXPECT_EQ(problem("TACHOIMG"), std::string("the header is cut off") + kDamaged);
  EXPECT_EQ(problem(whole_.substr(0, 119)), std::string("119 bytes, expected 120") + kDamaged);
  EXPECT_EQ(problem(whole_ + "x"), std::string("121 bytes, expected 120") + kDamaged);
}

TEST_F(ImageFileTest, RefusesADamagedHeader) {
  EXPECT_EQ(problem(with(0, "x")), "not a file of prepared images; prepare the dataset again");
  EXPECT_EQ(problem(with(8, "\2")),
            "version 2 of the format; this program reads up to 1: update "
            "it or prepare the dataset again");
  const auto damaged = [this](std::size_t at, std::string_view bytes) {
    std::string message = problem(with(at, bytes));
    EXPECT_TRUE(message.ends_with(kDamaged)) << message;
    return message.substr(0, message.size() - std::string_view(kDamaged).size());
  };
  EXPECT_EQ(damaged(44, std::string_view("\0", 1)), "no images");
  EXPECT_EQ(damaged(51, "\x80"), "too many images");
  EXPECT_EQ(damaged(52, "\2"), "2 channels, expected 1 or 3");
  EXPECT_EQ(damaged(62, "\1"), "images of 65538 x 1 pixels");
  EXPECT_EQ(damaged(66, "\2"), "131074 classes");
  EXPECT_EQ(damaged(72, "\xFF\xFF\xFF\x7F"), "no valid mean or deviation");
  EXPECT_EQ(damaged(68, "\7"), "120 bytes, expected 119");
  EXPECT_EQ(damaged(99, "-"), "not one name for each of 2 classes");
  EXPECT_EQ(damaged(104, "\2"), "image 1: label 2 (expected 0 to 1)");
}

TEST_F(ImageFileTest, NoticesAnyChangedByteByItsChecksum) {
  for (std::size_t at = image_format::kChecksum; at < whole_.size(); ++at) {
    std::string bytes = whole_;
    bytes[at] = static_cast<char>(bytes[at] ^ 1);
    put(path_, bytes);
    const auto file = ImageFile::open(path_);
    EXPECT_FALSE(file.ok() && file->checksum_matches()) << at;
  }
}

TEST_F(ImageFileTest, SurvivesMutations) {
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    put(path_, mutated(whole_, random));
    const auto file = ImageFile::open(path_);
    if (!file.ok()) continue;
    EXPECT_EQ(file->pixels().size(),
              static_cast<std::size_t>(file->header().count * file->header().image_bytes()));
    for (const std::int64_t label : file->labels()) {
      EXPECT_LT(label, static_cast<std::int64_t>(file->header().classes.size()));
    }
  }
}

TEST_F(ImageFileTest, IsNotFinishedWithoutAllImages) {
  const std::vector<std::int64_t> labels = {0, 0};
  auto writer = *ImageFileWriter::create(
      path_, {.channels = 1, .height = 1, .width = 1, .classes = {"cat"}}, labels);
  ASSERT_TRUE(writer.put(0, Bytes8{7}).ok());
  EXPECT_EQ(writer.finish().error().message,
            path_.string() + ": 1 images were written, expected 2");
}

class PreparedImages : public testing::Test {
 protected:
  PreparedImages() {
    fs::create_directories(folder_);
    EXPECT_TRUE(write_pair(folder_ / kTrainImages, {"cat", "dog"}).ok());
    EXPECT_TRUE(write_pair(folder_ / kEvalImages, {"cat", "dog"}).ok());
  }

  const ScratchFolder scratch_;
  const fs::path folder_ = scratch_.path() / "data/tiny-imagenet";
  const DatasetInfo& info_ = **find_dataset("tiny-imagenet");
};

TEST_F(PreparedImages, AreLocatedAndLoaded) {
  EXPECT_EQ(*locate(info_, scratch_.path(), ""), folder_);
  auto data = load_images(info_, folder_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->classes, 2);
  EXPECT_THAT(data->class_names, ElementsAre("cat", "dog"));
  EXPECT_FLOAT_EQ(data->statistics->mean[0], 0.5);
  data->train.keep_first(1);
  EXPECT_THAT(data->train.all_pixels(), ElementsAre(0, 0, 2, 3, 4, 5));
  EXPECT_THAT(data->train.labels, ElementsAre(1));
}

TEST_F(PreparedImages, ReplaceTheFilesOfOlderVersions) {
  EXPECT_EQ(load_images(**find_dataset("cifar10"), folder_)->train.count, 2);
}

TEST_F(PreparedImages, MustHaveTwoPartsThatFit) {
  ASSERT_TRUE(write_pair(folder_ / kEvalImages, {"cat", "cow"}).ok());
  EXPECT_EQ(load_images(info_, folder_).error().message,
            folder_.string() +
                ": train.images and eval.images have different image sizes or "
                "classes; prepare the dataset again");
  fs::remove(folder_ / kEvalImages);
  EXPECT_THAT(locate(info_, scratch_.path(), "").error().message,
              HasSubstr(folder_.string() + " lacks eval.images; get it with 'tacho data prepare"));
}

}  // namespace
}  // namespace tacho
