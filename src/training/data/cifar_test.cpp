#include "training/data/cifar.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/scratch_folder.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::Each;
using testing::ElementsAre;

constexpr std::int64_t kPicture = 3072;

// A record whose planes are filled with three bytes.
std::string record(std::string_view labels, std::string_view planes) {
  std::string bytes(labels);
  for (const char plane : planes) bytes.append(1024, plane);
  return bytes;
}

class AppendCifar : public testing::Test {
 protected:
  std::string problem(std::string_view bytes, CifarLabels labels = CifarLabels::one,
                      std::int64_t records = 2) {
    put(file_, bytes);
    ImageSet set;
    const std::int64_t size = kPicture + (labels == CifarLabels::one ? 1 : 2);
    const auto done = append_cifar(file_, records * size, labels, set);
    if (done.ok()) return "none";
    EXPECT_EQ(done.error().code, ErrorCode::invalid);
    EXPECT_EQ(done.error().message.find(file_.string() + ": "), 0U) << done.error().message;
    return done.error().message.substr(file_.string().size() + 2);
  }

  const ScratchFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "data_batch_1.bin";
  const std::string whole_ = record("\x09", "abc") + record(std::string(1, '\0'), "def");
};

TEST_F(AppendCifar, ReadsLabelsAndPlanesOfPlainAndCompressedFiles) {
  for (const std::string& bytes : {whole_, gzipped(whole_)}) {
    put(file_, bytes);
    ImageSet set;
    const auto done = append_cifar(file_, 2 * 3073, CifarLabels::one, set);
    ASSERT_TRUE(done.ok()) << done.error().message;
    EXPECT_EQ(set.count, 2);
    EXPECT_EQ(set.channels, 3);
    EXPECT_EQ(set.height, 32);
    EXPECT_EQ(set.width, 32);
    EXPECT_THAT(set.labels, ElementsAre(9, 0));
    ASSERT_EQ(set.pixels.size(), 6144U);
    for (std::size_t plane = 0; plane < 6; ++plane) {
      const auto at = set.pixels.begin() + static_cast<std::ptrdiff_t>(plane * 1024);
      EXPECT_THAT(std::vector(at, at + 1024), Each("abcdef"[plane]));
    }
  }
}

TEST_F(AppendCifar, UsesTheFineLabelOfTwo) {
  put(file_, record("\x13\x63", "abc"));
  ImageSet set;
  ASSERT_TRUE(append_cifar(file_, 3074, CifarLabels::coarse_and_fine, set).ok());
  EXPECT_THAT(set.labels, ElementsAre(99));
  EXPECT_EQ(set.pixels[0], 'a');
}

TEST_F(AppendCifar, RejectsALabelOutOfRange) {
  EXPECT_EQ(problem(record("\x09", "abc") + record("\x0A", "def")),
            "record 2: label 10 (expected 0 to 9)");
  const auto two = CifarLabels::coarse_and_fine;
  EXPECT_EQ(problem(record("\x01\x64", "abc"), two, 1), "record 1: label 100 (expected 0 to 99)");
  EXPECT_EQ(problem(record("\x14\x63", "abc"), two, 1),
            "record 1: coarse label 20 (expected 0 to 19)");
}

TEST_F(AppendCifar, RejectsAnotherSize) {
  EXPECT_EQ(problem(""), "0 bytes, expected 6146");
  EXPECT_EQ(problem(whole_.substr(0, 3073)), "3073 bytes, expected 6146");
  EXPECT_EQ(problem(whole_.substr(0, 6145)), "6145 bytes, expected 6146");
  EXPECT_EQ(problem(whole_ + "x"), "more than the expected 6146 bytes");
  EXPECT_EQ(problem(whole_ + whole_), "more than the expected 6146 bytes");
}

TEST_F(AppendCifar, SurvivesMutations) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    put(file_, mutated(i % 2 == 0 ? whole_ : gzipped(whole_), random));
    ImageSet set;
    if (!append_cifar(file_, 2 * 3073, CifarLabels::one, set).ok()) continue;
    EXPECT_EQ(set.labels.size(), 2U);
    EXPECT_EQ(set.pixels.size(), 6144U);
    EXPECT_LT(*std::max_element(set.labels.begin(), set.labels.end()), 10);
  }
}

TEST(LoadCifar, ReadsThePartsFromTheFilesOfItsEntry) {
  const ScratchFolder folder;
  put(folder.path() / "one.bin", record("\x01", "abc"));
  put(folder.path() / "two.bin", record("\x02", "def"));
  put(folder.path() / "last.bin", record("\x03", "ghi"));
  const std::array files = {DatasetFile{"one.bin", 3073}, DatasetFile{"two.bin", 3073},
                            DatasetFile{"last.bin", 3073}};
  const DatasetInfo info{.name = "cifar",
                         .input = InputKind::image,
                         .help = "",
                         .classes = 10,
                         .files = files,
                         .form = DatasetForm::cifar10};
  const auto data = load_images(info, folder.path());
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_THAT(data->train.labels, ElementsAre(1, 2));
  EXPECT_THAT(data->eval.labels, ElementsAre(3));
  EXPECT_EQ(data->classes, 10);
}

TEST(CifarCatalog, HasSizesOfCompleteRecords) {
  const auto sum = [](const char* name) {
    std::int64_t bytes = 0;
    for (const DatasetFile& file : (*find_dataset(name))->files) bytes += file.bytes;
    return bytes;
  };
  EXPECT_EQ(sum("cifar10"), 60'000 * 3073);
  EXPECT_EQ(sum("cifar100"), 60'000 * 3074);
}

}  // namespace
}  // namespace tacho
