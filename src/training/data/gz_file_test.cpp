#include "training/data/gz_file.h"

#include <gtest/gtest.h>

#include <array>

#include "base/scratch_folder.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

class GzFileTest : public testing::Test {
 protected:
  const ScratchFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "file.gz";
  const std::string place_ = file_.string() + ": ";
};

TEST_F(GzFileTest, ReadsPlainAndCompressedAlike) {
  const std::string content(200'000, 'x');
  put(file_, content);
  EXPECT_EQ(*read_content(file_), content);
  put(file_, gzipped(content));
  EXPECT_EQ(*read_content(file_), content);
}

TEST_F(GzFileTest, FillsTheBufferUnlessTheContentEnds) {
  put(file_, gzipped("12345"));
  auto file = GzFile::open(file_);
  ASSERT_TRUE(file.ok());
  std::array<char, 3> buffer{};
  EXPECT_EQ(*file->read(buffer), 3U);
  EXPECT_EQ(*file->read(buffer), 2U);
  EXPECT_EQ(*file->read(buffer), 0U);
}

TEST_F(GzFileTest, DetectsATruncatedFile) {
  const std::string whole = gzipped("some content that is long enough to be worth compressing");
  // Two bytes identify the compression.
  for (std::size_t length = 2; length < whole.size(); ++length) {
    put(file_, std::string_view(whole).substr(0, length));
    const auto content = read_content(file_);
    ASSERT_FALSE(content.ok()) << length;
    EXPECT_EQ(content.error().message, place_ + "the compressed data is truncated") << length;
  }
}

TEST_F(GzFileTest, DetectsAWrongByte) {
  std::string bytes = gzipped("some content");
  bytes[bytes.size() - 6] ^= 1;  // in the checksum at the end
  put(file_, bytes);
  EXPECT_EQ(read_content(file_).error().message, place_ + "the compressed data is damaged");
}

TEST_F(GzFileTest, RejectsADirectoryAndAMissingFile) {
  EXPECT_EQ(read_content(folder_.path()).error().message,
            folder_.path().string() + ": Is a directory");
  EXPECT_EQ(read_content(file_).error().code, ErrorCode::not_found);
}

TEST_F(GzFileTest, StopsAtTheLimit) {
  put(file_, gzipped(std::string(10 << 20, '\0')));
  EXPECT_EQ(read_content(file_, Bytes{1 << 20}).error().message,
            place_ + "larger than the limit of 1.00 MiB");
}

}  // namespace
}  // namespace tacho
