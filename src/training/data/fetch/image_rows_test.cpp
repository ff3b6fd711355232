#include "training/data/fetch/image_rows.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <numeric>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "base/sha256.h"
#include "training/data/fetch/get.h"
#include "training/data/fetch/prepare.h"
#include "training/data/fetch/test_archives.h"
#include "training/data/fetch/test_dataset.h"
#include "training/data/fetch/test_tree.h"
#include "training/data/test_files.h"
#include "training/image/test_images.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr int kSideOfRow = 32;
constexpr int kPixelsOfRow = kSideOfRow * kSideOfRow;

std::uint8_t level(int image, int channel, int pixel) {
  return static_cast<std::uint8_t>(image * 31 + channel * 100 + pixel * 7);
}

std::string png_of(int first, int images, int width = kPixelsOfRow, int channels = 3) {
  Picture picture{width, images, channels, {}};
  for (int i = 0; i < images * width * channels; ++i) {
    const int pixel = i / channels;
    picture.pixels.push_back(level(first + pixel / width, i % channels, pixel % width));
  }
  const ByteVector bytes = png_bytes(picture);
  return {bytes.begin(), bytes.end()};
}

std::string record_of(int image, int label) {
  std::string record(1, static_cast<char>(label));
  for (int i = 0; i < 3 * kPixelsOfRow; ++i) {
    record.push_back(static_cast<char>(level(image, i / kPixelsOfRow, i % kPixelsOfRow)));
  }
  return record;
}

class ImageRows : public testing::Test {
 protected:
  // The catalog entry of a package of these files.
  DatasetInfo info() {
    files_.clear();
    for (const auto& [name, content] : entries_) {
      sums_.push_back(hex(Sha256::of(content)));
      files_.push_back({name, static_cast<std::int64_t>(content.size()), sums_.back()});
    }
    return {.name = "pets",
            .input = InputKind::image,
            .help = "",
            .classes = 3,
            .files = kBinary,
            .form = DatasetForm::cifar10,
            .packing = Packing::small_images,
            .side = kSideOfRow,
            .archive = "pets.tar.gz",
            .archive_folder = "binary",
            .labels = kNames,
            .npm_package = "pets@1.0.0",
            .npm_folder = "package",
            .npm_files = files_};
  }
  void write_files() const {
    for (const auto& [name, content] : entries_) put(folder_ / name, content);
  }
  // Returns the error without the folder; nothing may be left behind.
  std::string problem(const Watch& watch = {}) {
    write_files();
    const auto made = prepare(info(), folder_, home_, quiet, watch);
    if (made.ok()) return "none";
    EXPECT_THAT(tree(home_), ElementsAre("data/.pets.lock"));
    const std::string& message = made.error().message;
    return message.starts_with(folder_.string()) ? message.substr(folder_.string().size())
                                                 : message;
  }

  static constexpr std::array<std::string_view, 3> kNames = {"cat", "cow", "dog"};
  static constexpr std::array kBinary = {DatasetFile{"train.bin", 5 * 3073},
                                         DatasetFile{"test.bin", 2 * 3073}};
  Entries entries_ = {{"1.png", png_of(0, 2)},
                      {"2.png", png_of(2, 3)},
                      {"train.json", "[2,2,0,2,1]"},
                      {"test.png", png_of(5, 2)},
                      {"test.json", "[1,0]"}};
  std::deque<std::string> sums_;
  std::vector<DatasetFile> files_;
  const ScratchFolder scratch_;
  const fs::path folder_ = scratch_.path() / "from";
  const fs::path home_ = scratch_.path() / "home";
};

TEST_F(ImageRows, BecomeTheSameFilesAsTheBinaryVersion) {
  const std::vector<int> labels = {2, 2, 0, 2, 1, 1, 0};
  std::string binary[2];
  for (int i = 0; i < 7; ++i) binary[i < 5 ? 0 : 1] += record_of(i, labels[i]);
  put(scratch_.path() / "binary/train.bin", binary[0]);
  put(scratch_.path() / "binary/test.bin", binary[1]);
  write_files();
  const DatasetInfo pets = info();
  const auto expected = prepare(pets, scratch_.path() / "binary", scratch_.path() / "other", quiet);
  const auto made = prepare(pets, folder_, home_, quiet);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_EQ(tree(*made), tree(*expected));
  for (const std::string& file : tree(*made)) {
    EXPECT_EQ(*read_file(*made / file), *read_file(*expected / file)) << file;
  }
  EXPECT_EQ(*read_file(*made / "classes.tsv"), "cat\t\t1\t1\ncow\t\t1\t1\ndog\t\t3\t0\n");
}

TEST_F(ImageRows, AlternateTheClasses) {
  write_files();
  const DatasetInfo pets = info();
  const auto data = load_images(pets, *prepare(pets, folder_, home_, quiet));
  EXPECT_THAT(data->train.labels, ElementsAre(0, 1, 2, 2, 2));
  const auto pixels = data->train.all_pixels();
  const std::vector<int> order = {2, 4, 0, 1, 3};
  for (int i = 0; i < 5 * 3 * kPixelsOfRow; ++i) {
    ASSERT_EQ(pixels[i], level(order[i / 3 / kPixelsOfRow], i / kPixelsOfRow % 3, i % kPixelsOfRow))
        << i;
  }
}

TEST_F(ImageRows, AreReadFromTheArchiveOfThePackage) {
  Entries packed = {{"package/package.json", "{}"}};
  for (const auto& [name, content] : entries_) packed.emplace_back("package/" + name, content);
  put_tgz(scratch_.path() / "pets-1.0.0.tgz", packed);
  const auto made = get_from_archive(info(), scratch_.path() / "pets-1.0.0.tgz", home_, quiet);
  ASSERT_TRUE(made.ok()) << made.error().message;
  EXPECT_THAT(tree(home_), ElementsAre("data/.pets.lock", "data/pets/classes.tsv",
                                       "data/pets/eval.images", "data/pets/train.images"));
}

TEST_F(ImageRows, MustBeThoseOfTheCatalog) {
  const DatasetInfo pets = info();
  entries_[4].second = "[0,1]";
  write_files();
  EXPECT_THAT(prepare(pets, folder_, home_, quiet).error().message,
              HasSubstr("from/test.json: its SHA-256 is "));
  fs::remove(folder_ / "2.png");
  EXPECT_THAT(prepare(pets, folder_, home_, quiet).error().message, HasSubstr("from/2.png: "));
  EXPECT_THAT(tree(home_), ElementsAre("data/.pets.lock"));
}

TEST_F(ImageRows, NameAFileThatDoesNotFit) {
  const Entries whole = entries_;
  const auto problem_of = [&](std::size_t file, const std::string& content) {
    entries_ = whole;
    entries_[file].second = content;
    return problem();
  };
  EXPECT_EQ(problem_of(0, png_of(0, 2, 1000)), "/1.png: 1000 pixels wide, expected 1024");
  EXPECT_EQ(problem_of(1, png_of(0, 3, kPixelsOfRow, 1)), "/2.png: not a colour image");
  EXPECT_EQ(problem_of(1, png_of(0, 2)), "/train.json: 5 labels of 4 images");
  EXPECT_EQ(problem_of(4, "[1,3]"), "/test.json: label 3 (expected 0 to 2)");
  EXPECT_EQ(problem_of(4, "[1,-1]"), "/test.json: label -1 (expected 0 to 2)");
  EXPECT_EQ(problem_of(4, "[1,0.5]"), "/test.json: label 0.5 (expected 0 to 2)");
  EXPECT_THAT(problem_of(2, "[1,"), HasSubstr("/train.json: "));
  EXPECT_THAT(problem_of(3, png_of(5, 2).substr(0, 100)), HasSubstr("/test.png: damaged PNG: "));
}

TEST_F(ImageRows, LeaveNothingBehindWhenStopped) {
  for (const int looks : {0, 3, 6}) {
    int left = looks;
    EXPECT_EQ(problem({.stopped = [&left] { return left-- == 0; }}),
              "stopped; nothing was written");
  }
}

}  // namespace
}  // namespace tacho
