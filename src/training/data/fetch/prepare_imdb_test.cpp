#include "training/data/fetch/prepare_imdb.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/fetch/prepare.h"
#include "training/data/fetch/test_dataset.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

// Two reviews per label instead of 12,500.
constexpr std::array kFewFiles = {DatasetFile{.name = "train.tsv", .per_label = 2},
                                  DatasetFile{.name = "dev.tsv", .per_label = 2}};
constexpr DatasetInfo kFewReviews{.name = "imdb",
                                  .input = InputKind::text,
                                  .help = "",
                                  .classes = 2,
                                  .files = kFewFiles,
                                  .form = DatasetForm::sentences,
                                  .packing = Packing::reviews};

class PrepareImdb : public testing::Test {
 protected:
  Result<fs::path> prepare_from(const fs::path& from) {
    return prepare(kFewReviews, from, home_, quiet);
  }

  void expect_prepared() {
    EXPECT_EQ(*read_file(home_ / "data/imdb/train.tsv"),
              "bad\t0\nfine\t1\nawful\t0\nsuperb  film\t1\n");
    EXPECT_EQ(*read_file(home_ / "data/imdb/dev.tsv"), "no\t0\nyes\t1\nnever\t0\nalways\t1\n");
  }

  const Entries whole_ = {{"aclImdb/README", "about"},
                          {"aclImdb/train/urls_pos.txt", "http://"},
                          {"aclImdb/train/pos/10_9.txt", "superb<br />\nfilm"},
                          {"aclImdb/train/pos/0_7.txt", "fine"},
                          {"aclImdb/train/neg/0_1.txt", "bad"},
                          {"aclImdb/train/neg/1_1.txt", "awful"},
                          {"aclImdb/train/unsup/0_0.txt", "unlabelled"},
                          {"aclImdb/test/pos/0_8.txt", "yes"},
                          {"aclImdb/test/pos/1_8.txt", "always"},
                          {"aclImdb/test/neg/0_1.txt", "no"},
                          {"aclImdb/test/neg/1_1.txt", "never"}};
  const ScratchFolder scratch_;
  const fs::path archive_ = scratch_.path() / "aclImdb_v1.tar.gz";
  const fs::path home_ = scratch_.path() / "home";
};

TEST_F(PrepareImdb, MakesTwoTablesFromTheArchive) {
  put_tgz(archive_, whole_);
  const auto folder = prepare_from(archive_);
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_EQ(*folder, home_ / "data/imdb");
  expect_prepared();
  // And again, from the tables it created.
  ASSERT_TRUE(prepare_from(*folder).ok());
  expect_prepared();
}

TEST_F(PrepareImdb, MakesTheSameFromTheUnpackedFolder) {
  for (const auto& [path, content] : whole_) put(scratch_.path() / path, content);
  const auto folder = prepare_from(scratch_.path() / "aclImdb");
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  expect_prepared();
}

TEST_F(PrepareImdb, CountsTheReviews) {
  Entries few = whole_;
  few.pop_back();
  put_tgz(archive_, few);
  EXPECT_THAT(prepare_from(archive_).error().message,
              AllOf(StartsWith(archive_.string() + ": "),
                    HasSubstr("dev.tsv: 1 sentences of label 0, expected 2")));
  EXPECT_FALSE(fs::exists(home_));
}

TEST_F(PrepareImdb, AcceptsASubsetAndRemembersItsCounts) {
  Entries few = whole_;
  few.pop_back();
  for (const auto& [path, content] : few) put(scratch_.path() / path, content);
  const fs::path from = scratch_.path() / "aclImdb";
  const auto folder = prepare(subset_of(kFewReviews), from, home_, quiet);
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_EQ(*read_file(*folder / "dev.tsv"), "no\t0\nyes\t1\nalways\t1\n");
  EXPECT_EQ(*read_file(*folder / "classes.tsv"), "negative\t\t2\t1\npositive\t\t2\t2\n");
  EXPECT_TRUE(check(verify(kFewReviews, *folder, quiet)).ok());
  EXPECT_THAT(prepare_from(*folder).error().message,
              HasSubstr("dev.tsv: 1 sentences of label 0, expected 2; to prepare only a part, add "
                        "--subset"));
  put(*folder / "dev.tsv", "yes\t1\nalways\t1\n");
  EXPECT_THAT(check(verify(kFewReviews, *folder, quiet)).error().message,
              HasSubstr("dev.tsv: 0 sentences of label 0, expected 1"));
}

TEST_F(PrepareImdb, LeavesNothingBehindAfterADamagedArchive) {
  Entries large = whole_;
  std::mt19937 random(1);
  std::string noise;
  for (int i = 0; i < 300'000; ++i) noise.push_back(static_cast<char>('a' + random() % 26));
  large.emplace_back("aclImdb/train/neg/2_1.txt", noise);
  put_tgz(archive_, large);
  fs::resize_file(archive_, fs::file_size(archive_) / 2);
  EXPECT_THAT(prepare_from(archive_).error().message,
              StartsWith(archive_.string() + ": the compressed data is truncated"));
  put(archive_, "<html>not found</html>");
  EXPECT_THAT(prepare_from(archive_).error().message, StartsWith(archive_.string() + ": "));
  EXPECT_FALSE(fs::exists(home_));
}

TEST_F(PrepareImdb, NamesAnInvalidReview) {
  Entries wrong = whole_;
  wrong.emplace_back("aclImdb/test/neg/2_1.txt", "b\xE9te");
  put_tgz(archive_, wrong);
  EXPECT_EQ(prepare_from(archive_).error().message,
            archive_.string() + ": aclImdb/test/neg/2_1.txt: not UTF-8");
  wrong.back() = {"aclImdb/test/neg/2_1.txt", std::string((1 << 20) + 1, 'x')};
  put_tgz(archive_, wrong);
  EXPECT_EQ(prepare_from(archive_).error().message,
            archive_.string() +
                ": aclImdb/test/neg/2_1.txt: larger than the limit of 1.00 MiB for a review");
}

TEST_F(PrepareImdb, SaysWhatItExpects) {
  put_tgz(archive_, {{"package/data/one", "1"}});
  EXPECT_EQ(prepare_from(archive_).error().message,
            archive_.string() +
                ": contains no reviews; expected aclImdb_v1.tar.gz, or its folder with train/pos, "
                "train/neg, test/pos and test/neg");
  const auto nowhere = prepare_from(scratch_.path() / "nowhere");
  EXPECT_EQ(nowhere.error().code, ErrorCode::not_found);
  EXPECT_THAT(nowhere.error().message, HasSubstr("nowhere"));
}

// libarchive's own gzip filter does not verify the checksum.
TEST_F(PrepareImdb, RejectsAnArchiveWithAWrongByte) {
  put_tgz(archive_, whole_);
  std::string bytes = *read_file(archive_);
  bytes[bytes.size() - 6] ^= 1;  // in the checksum
  put(archive_, bytes);
  EXPECT_EQ(prepare_from(archive_).error().message,
            archive_.string() + ": the compressed data is damaged");
  EXPECT_FALSE(fs::exists(home_));
}

TEST_F(PrepareImdb, SurvivesMutationsOfTheArchive) {
  put_tgz(archive_, whole_);
  const std::string bytes = *read_file(archive_);
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    put(archive_, mutated(bytes, random));
    const auto folder = prepare_from(archive_);
    if (folder.ok()) expect_prepared();
  }
}

}  // namespace
}  // namespace tacho
