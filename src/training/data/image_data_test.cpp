#include "training/data/image_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>

#include "base/scratch_folder.h"
#include "training/data/locate.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::ElementsAre;

class LoadImages : public testing::Test {
 protected:
  LoadImages() {
    put(folder_ / "train-images-idx3-ubyte", idx_bytes({2, 1, 2}, "abcd"));
    put(folder_ / "train-labels-idx1-ubyte.gz", gzipped(idx_bytes({2}, "\x09\x01")));
    put(folder_ / "t10k-images-idx3-ubyte.gz", gzipped(idx_bytes({1, 1, 2}, "ef")));
    put(folder_ / "t10k-labels-idx1-ubyte", idx_bytes({1}, "\x03"));
  }

  std::string problem() {
    const auto data = load_images(info_, folder_);
    return data.ok() ? "none" : data.error().message;
  }

  const ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "set";
  const DatasetInfo info_{
      .name = "set", .input = InputKind::image, .help = "", .classes = 10, .files = {}};
};

TEST_F(LoadImages, ReadsBothParts) {
  const auto data = load_images(info_, folder_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->classes, 10);
  EXPECT_EQ(data->train.count, 2);
  EXPECT_EQ(data->train.channels, 1);
  EXPECT_EQ(data->train.height, 1);
  EXPECT_EQ(data->train.width, 2);
  EXPECT_THAT(data->train.pixels, ElementsAre('a', 'b', 'c', 'd'));
  EXPECT_THAT(data->train.labels, ElementsAre(9, 1));
  EXPECT_THAT(data->eval.pixels, ElementsAre('e', 'f'));
  EXPECT_THAT(data->eval.labels, ElementsAre(3));
}

TEST_F(LoadImages, RejectsALabelOutOfRange) {
  const auto file = folder_ / "t10k-labels-idx1-ubyte";
  put(file, idx_bytes({1}, "\x0A"));
  EXPECT_EQ(problem(), file.string() + ": item 1: label 10 (expected 0 to 9)");
}

TEST_F(LoadImages, RejectsMoreImagesThanLabels) {
  put(folder_ / "train-images-idx3-ubyte", idx_bytes({3, 1, 2}, "abcdef"));
  EXPECT_EQ(problem(), folder_.string() + ": train: 3 images but 2 labels");
}

TEST_F(LoadImages, RejectsPartsOfDifferentSizes) {
  put(folder_ / "t10k-images-idx3-ubyte", idx_bytes({1, 2, 2}, "efgh"));
  EXPECT_EQ(problem(),
            folder_.string() + ": training images are 1 x 2, but evaluation images are 2 x 2");
}

TEST_F(LoadImages, NamesAMissingFile) {
  std::filesystem::remove(folder_ / "t10k-labels-idx1-ubyte");
  EXPECT_EQ(problem(),
            (folder_ / "t10k-labels-idx1-ubyte").string() + ": No such file or directory");
}

TEST(FashionMnist, LoadsFromDebiansPackage) {
  const DatasetInfo& info = **find_dataset("fashion-mnist");
  const auto folder = locate(info, "/nonexistent", "");
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  const auto data = load_images(info, *folder);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->train.count, 60'000);
  EXPECT_EQ(data->eval.count, 10'000);
  EXPECT_EQ(data->train.height, 28);
  EXPECT_EQ(data->train.width, 28);
  const auto first = [](const auto& values) {
    return std::vector(values.begin(), values.begin() + 5);
  };
  EXPECT_THAT(first(data->train.labels), ElementsAre(9, 0, 0, 3, 0));
  EXPECT_THAT(first(data->eval.labels), ElementsAre(9, 2, 1, 1, 6));
  // The mean that tutorials normalise with: 0.2860.
  const double sum = std::accumulate(data->train.pixels.begin(), data->train.pixels.end(), 0.0);
  EXPECT_NEAR(sum / 255 / static_cast<double>(data->train.pixels.size()), 0.2860, 0.00005);
}

}  // namespace
}  // namespace tacho
