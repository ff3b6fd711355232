#include "training/weights/zip_listing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/weights/made_torch_file.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class ListZip : public testing::Test {
 protected:
  Result<std::vector<ZipEntry>> list(const std::string& bytes) {
    const auto path = folder_.path() / "x.zip";
    EXPECT_TRUE(write_file_atomically(path, bytes, Outlives::kill).ok());
    file_.emplace(*InputFile::open(path));
    return list_zip(*file_);
  }
  std::string refusal(const std::string& bytes) {
    const auto listed = list(bytes);
    return listed.ok() ? "accepted" : listed.error().message;
  }
  // Replaces a number at `at` bytes after the last occurrence of a signature.
  static std::string with(std::string bytes, std::string_view signature, std::size_t at,
                          std::uint64_t value, std::size_t width) {
    const std::size_t found = bytes.rfind(signature);
    return bytes.replace(found + at, width, little_endian(value, width));
  }

  ScratchFolder folder_;
  std::optional<InputFile> file_;
  const std::string zip_ = made_zip({{"a/x", "content"}, {"a/y", ""}, {"a/z", "123"}}, false);
};

TEST_F(ListZip, FindsTheContentOfEachEntry) {
  for (const bool zip64 : {false, true}) {
    const auto listed = list(made_zip({{"a/x", "content"}, {"a/y", ""}, {"a/z", "123"}}, zip64));
    ASSERT_TRUE(listed.ok()) << listed.error().message;
    ASSERT_EQ(listed->size(), 3U);
    EXPECT_EQ((*listed)[0].name, "a/x");
    EXPECT_EQ((*listed)[0].begin % 64, 0U);
    EXPECT_EQ(*file_->bytes((*listed)[0].size, (*listed)[0].begin), "content");
    EXPECT_EQ((*listed)[1].size, 0U);
    EXPECT_EQ(*file_->bytes(3, (*listed)[2].begin), "123");
  }
}

TEST_F(ListZip, ReadsSizesBeyond32BitsFromTheirField) {
  std::string zip = made_zip({{"a", "content"}}, false);
  const std::size_t record = zip.find("PK\1\2");
  zip = with(zip, "PK\1\2", 20, 0xFFFFFFFF, 4);
  zip = with(zip, "PK\1\2", 24, 0xFFFFFFFF, 4);
  zip = with(zip, "PK\1\2", 30, 20, 2);
  zip.insert(record + 47, little_endian(1, 2) + little_endian(16, 2) + little_endian(7, 8) +
                              little_endian(7, 8));
  zip = with(zip, "PK\5\6", 12, 47 + 20, 4);
  const auto listed = list(zip);
  ASSERT_TRUE(listed.ok()) << listed.error().message;
  EXPECT_EQ((*listed)[0].size, 7U);
}

TEST_F(ListZip, RefusesWhatDoesNotFitTheFile) {
  EXPECT_THAT(refusal(""), HasSubstr("it is truncated, copy or download it again"));
  EXPECT_THAT(refusal(zip_.substr(0, zip_.size() - 1)), HasSubstr("truncated"));
  EXPECT_THAT(refusal(zip_ + "x"), HasSubstr("truncated"));
  EXPECT_THAT(refusal(with(zip_, "PK\5\6", 16, 7, 4)), HasSubstr("does not fit the file"));
  EXPECT_THAT(refusal(with(zip_, "PK\5\6", 10, 4, 2)), HasSubstr("does not fit the file"));
  EXPECT_THAT(refusal(with(zip_, "PK\5\6", 10, 2, 2)), HasSubstr("bad zip directory"));
  const std::string large = with(with(zip_, "PK\1\2", 20, 1 << 20, 4), "PK\1\2", 24, 1 << 20, 4);
  EXPECT_THAT(refusal(large), HasSubstr("'a/z' does not fit the file"));
  EXPECT_THAT(refusal(with(zip_, "PK\1\2", 42, 0xFFFFFFF0, 4)), HasSubstr("does not fit"));
  EXPECT_THAT(refusal(with(zip_, "PK\1\2", 42, 5, 4)), HasSubstr("not where the zip directory"));
}

TEST_F(ListZip, RefusesCompressedEncryptedAndRepeatedEntries) {
  EXPECT_THAT(refusal(with(zip_, "PK\1\2", 10, 8, 2)), HasSubstr("'a/z' is compressed"));
  EXPECT_THAT(refusal(with(zip_, "PK\1\2", 8, 1, 2)), HasSubstr("encrypted"));
  EXPECT_THAT(refusal(made_zip({{"a", "1"}, {"a", "2"}})), HasSubstr("'a' occurs twice"));
}

// Two entries of a small file could otherwise claim the same large content.
TEST_F(ListZip, RefusesOverlappingEntries) {
  std::string zip = made_zip({{"a", "1"}, {"b", "2"}}, false);
  const std::size_t first = zip.find("PK\1\2");
  zip.replace(first + 20, 4, little_endian(100, 4));
  zip.replace(first + 24, 4, little_endian(100, 4));
  EXPECT_THAT(refusal(zip), testing::AnyOf(HasSubstr("overlap"), HasSubstr("does not fit")));
}

}  // namespace
}  // namespace tacho
