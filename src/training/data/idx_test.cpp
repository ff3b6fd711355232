#include "training/data/idx.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::ElementsAre;

class ReadIdx : public testing::Test {
 protected:
  std::string problem(std::string_view bytes) {
    put(file_, bytes);
    const auto array = read_idx(file_, 3);
    if (array.ok()) return "none";
    EXPECT_EQ(array.error().code, ErrorCode::invalid);
    EXPECT_EQ(array.error().message.find(file_.string() + ": "), 0U) << array.error().message;
    return array.error().message.substr(file_.string().size() + 2);
  }

  const ScratchFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "images";
  const std::string whole_ = idx_bytes({2, 1, 3}, "abcdef");
};

TEST_F(ReadIdx, ReadsShapeAndValuesOfPlainAndCompressedFiles) {
  for (const std::string& bytes : {whole_, gzipped(whole_)}) {
    put(file_, bytes);
    const auto array = read_idx(file_, 3);
    ASSERT_TRUE(array.ok()) << array.error().message;
    EXPECT_THAT(array->shape, ElementsAre(2, 1, 3));
    EXPECT_THAT(array->values, ElementsAre('a', 'b', 'c', 'd', 'e', 'f'));
  }
}

TEST_F(ReadIdx, ReportsTheSizeOfATruncatedFile) {
  EXPECT_EQ(problem(""), "ends within its header, after 0 of 16 bytes");
  EXPECT_EQ(problem(whole_.substr(0, 15)), "ends within its header, after 15 of 16 bytes");
  EXPECT_EQ(problem(whole_.substr(0, 16)),
            "ends after 0 of the 6 bytes that its header states (2 x 1 x 3)");
  EXPECT_EQ(problem(whole_.substr(0, 21)),
            "ends after 5 of the 6 bytes that its header states (2 x 1 x 3)");
}

TEST_F(ReadIdx, RejectsABytePastTheEnd) {
  const std::string expected = "continues after the 6 bytes that its header states (2 x 1 x 3)";
  EXPECT_EQ(problem(whole_ + "g"), expected);
  EXPECT_EQ(problem(gzipped(whole_ + "g")), expected);
}

TEST_F(ReadIdx, RejectsOtherFiles) {
  EXPECT_EQ(problem("<html>not found</html>"),
            "not an IDX file of bytes in 3 dimensions: it begins with 3c68746d, expected 00000803");
  EXPECT_EQ(problem(idx_bytes({6}, "abcdefghijklmnop")),
            "not an IDX file of bytes in 3 dimensions: it begins with 00000801, expected 00000803");
}

TEST_F(ReadIdx, RejectsAHeaderThatExceedsTheFile) {
  EXPECT_EQ(problem(idx_bytes({0xFFFFFFFF, 0xFFFFFFFF, 0xFFFFFFFF}, "abc")),
            "its header states 4294967295 x 4294967295 x 4294967295 bytes, more than a file of "
            "this size can contain");
  EXPECT_EQ(problem(idx_bytes({1, 1024, 1024}, "abc")),
            "its header states 1 x 1024 x 1024 bytes, more than a file of this size can contain");
}

TEST_F(ReadIdx, AcceptsTheBestCompression) {
  const std::string zeros(8 << 20, '\0');
  const std::string compressed = gzipped(idx_bytes({8, 1024, 1024}, zeros));
  EXPECT_GT(zeros.size() / compressed.size(), 1000U);
  EXPECT_EQ(problem(compressed), "none");
}

TEST_F(ReadIdx, RejectsAnEmptyArray) {
  EXPECT_EQ(problem(idx_bytes({0, 28, 28}, "")), "its header states an empty array: 0 x 28 x 28");
}

TEST_F(ReadIdx, RejectsTruncatedCompressedData) {
  const std::string bytes = gzipped(whole_);
  EXPECT_EQ(problem(bytes.substr(0, bytes.size() / 2)), "the compressed data is truncated");
  EXPECT_EQ(problem(bytes.substr(0, bytes.size() - 1)), "the compressed data is truncated");
}

TEST_F(ReadIdx, RejectsADirectory) {
  EXPECT_EQ(read_idx(folder_.path(), 3).error().message,
            folder_.path().string() + ": Is a directory");
}

TEST_F(ReadIdx, SurvivesMutations) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    put(file_, mutated(i % 2 == 0 ? whole_ : gzipped(whole_), random));
    const auto array = read_idx(file_, 3);
    if (!array.ok()) continue;
    const auto& shape = array->shape;
    EXPECT_EQ(array->values.size(), static_cast<std::size_t>(shape[0] * shape[1] * shape[2]));
  }
}

}  // namespace
}  // namespace tacho
