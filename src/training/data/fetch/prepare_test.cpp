#include "training/data/fetch/prepare.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <set>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/data/fetch/test_dataset.h"
#include "training/data/fetch/test_pictures.h"
#include "training/data/fetch/test_tree.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
namespace fs = std::filesystem;

class Prepare : public testing::Test {
 protected:
  Prepare() {
    put(from_ / "one", kContentOfOne);
    put(from_ / "two.gz", gzipped(kContentOfTwo));
  }

  Result<fs::path> prepare_pair(const Say& say = quiet) {
    return prepare(kTestDataset, from_, home_, say);
  }

  static std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
  }

  void expect_prepared() {
    EXPECT_THAT(names_in(data_), ElementsAre(".pair.lock", "pair"));
    EXPECT_THAT(names_in(data_ / "pair"), ElementsAre("one", "two"));
    EXPECT_EQ(*read_file(data_ / "pair/one"), kContentOfOne);
    EXPECT_EQ(*read_file(data_ / "pair/two"), kContentOfTwo);
  }

  const ScratchFolder scratch_;
  const fs::path from_ = scratch_.path() / "from";
  const fs::path home_ = scratch_.path() / "home";
  const fs::path data_ = home_ / "data";
};

TEST_F(Prepare, CopiesTheFilesUncompressed) {
  const auto folder = prepare_pair();
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_EQ(*folder, data_ / "pair");
  expect_prepared();
}

TEST_F(Prepare, IsIdempotent) {
  ASSERT_TRUE(prepare_pair().ok());
  put(data_ / "pair/one", "damaged since");
  put(data_ / "pair/three", "not ours");
  ASSERT_TRUE(prepare_pair().ok());
  expect_prepared();
}

TEST_F(Prepare, ReadsFromTheFolderThatItReplaces) {
  ASSERT_TRUE(prepare_pair().ok());
  ASSERT_TRUE(prepare(kTestDataset, data_ / "pair", home_, quiet).ok());
  expect_prepared();
}

TEST_F(Prepare, WritesNothingIfASourceIsWrong) {
  put(from_ / "two.gz", gzipped("something else"));
  const auto folder = prepare_pair();
  ASSERT_FALSE(folder.ok());
  EXPECT_THAT(folder.error().message, HasSubstr("two.gz: more than the expected 6 bytes"));
  EXPECT_FALSE(fs::exists(home_));
}

TEST_F(Prepare, KeepsTheOldFolderIfASourceIsWrong) {
  ASSERT_TRUE(prepare_pair().ok());
  fs::remove(from_ / "one");
  EXPECT_EQ(prepare_pair().error().code, ErrorCode::not_found);
  expect_prepared();
}

// The process is killed while the second file is copied.
TEST_F(Prepare, LeavesNothingIncompleteWhenKilled) {
  const auto die = [](std::string_view text) {
    if (text == "copying two") ::_exit(9);
  };
  EXPECT_EXIT((void)prepare_pair(die), testing::ExitedWithCode(9), "");
  EXPECT_FALSE(fs::exists(data_ / "pair"));
  EXPECT_TRUE(fs::exists(data_ / ".pair.part"));
  ASSERT_TRUE(prepare_pair().ok());
  expect_prepared();
}

// A limit on the size of files fails writes as a full disk does.
TEST_F(Prepare, LeavesNothingIncompleteOnAFullDisk) {
  rlimit before{};
  ::getrlimit(RLIMIT_FSIZE, &before);
  const rlimit small{5, before.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &small);
  const auto folder = prepare_pair();
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);

  ASSERT_FALSE(folder.ok());
  EXPECT_EQ(folder.error().message, (data_ / ".pair.part/two").string() + ": File too large");
  EXPECT_THAT(names_in(data_), ElementsAre(".pair.lock"));
}

TEST_F(Prepare, AllowsOneProcessAtATime) {
  std::string second;
  ASSERT_TRUE(prepare_pair([&](std::string_view text) {
                if (text == "copying two") second = prepare_pair().error().message;
              }).ok());
  EXPECT_EQ(second, (data_ / ".pair.lock").string() + ": in use by another process");
  expect_prepared();
}

TEST_F(Prepare, ReportsThatTheHomeCannotBeCreated) {
  put(home_, "a file");
  EXPECT_THAT(prepare_pair().error().message, HasSubstr(data_.string() + ": cannot be created"));
}

constexpr std::array kCifarFiles = {DatasetFile{"a.bin", 3073}, DatasetFile{"b.bin", 3073}};

class PrepareCifar : public testing::Test {
 protected:
  static std::set<std::string> names_of(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) names.insert(entry.path().filename());
    return names;
  }
  static std::string record(char label) { return std::string(1, label) + std::string(3072, 'x'); }

  Result<fs::path> prepare_from(const fs::path& from) {
    return prepare(info_, from, scratch_.path() / "home", quiet);
  }

  void expect_prepared(const fs::path& from) {
    const auto folder = prepare_from(from);
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    EXPECT_THAT(names_of(*folder), ElementsAre("classes.tsv", "eval.images", "train.images"));
    EXPECT_EQ(summary_of(*folder / "train.images"), "1:120 ");
    EXPECT_EQ(summary_of(*folder / "eval.images"), "2:120 ");
  }

  const DatasetInfo info_{.name = "cifar",
                          .input = InputKind::image,
                          .help = "",
                          .classes = 10,
                          .files = kCifarFiles,
                          .form = DatasetForm::cifar10,
                          .packing = Packing::small_images,
                          .side = 32,
                          .archive = "cifar.tar.gz",
                          .archive_folder = "batches"};
  const ScratchFolder scratch_;
  const fs::path from_ = scratch_.path() / "from";
  const fs::path archive_ = from_ / "cifar.tar.gz";
};

TEST_F(PrepareCifar, AcceptsTheArchiveItsFolderAndItsFiles) {
  put_tgz(archive_, {{"batches/a.bin", record(1)}, {"batches/b.bin", record(2)}, {"x", "y"}});
  expect_prepared(archive_);
  expect_prepared(from_);
  put(scratch_.path() / "files/a.bin", record(1));
  put(scratch_.path() / "files/b.bin.gz", gzipped(record(2)));
  expect_prepared(scratch_.path() / "files");
}

TEST_F(PrepareCifar, AcceptsTheWholeReleaseAsASubset) {
  put(from_ / "a.bin", record(1));
  put(from_ / "b.bin", record(2));
  const auto folder = prepare(subset_of(info_), from_, scratch_.path() / "home", quiet);
  ASSERT_TRUE(folder.ok()) << folder.error().message;
  EXPECT_EQ(*read_file(*folder / "classes.tsv"), "0\t\t0\t0\n1\t\t1\t0\n2\t\t0\t1\n");
}

TEST_F(PrepareCifar, LeavesNothingBehindAfterAWrongOrTruncatedArchive) {
  put_tgz(archive_, {{"batches/a.bin", record(1)}, {"batches/b.bin", record(11)}});
  EXPECT_THAT(prepare_from(archive_).error().message,
              HasSubstr("b.bin: record 1: label 11 (expected 0 to 9)"));
  put_tgz(archive_, {{"batches/a.bin", record(1)}});
  EXPECT_EQ(prepare_from(archive_).error().message,
            archive_.string() + ": does not contain batches/b.bin");
  fs::resize_file(archive_, fs::file_size(archive_) / 2);
  EXPECT_THAT(prepare_from(archive_).error().message, HasSubstr(archive_.string() + ": "));
  EXPECT_THAT(tree(scratch_.path() / "home"), ElementsAre("data/.cifar.lock"));
}

constexpr std::array kTables = {DatasetFile{"train.tsv"}, DatasetFile{"dev.tsv"}};
constexpr DatasetInfo kGlue{.name = "glue",
                            .input = InputKind::text,
                            .help = "",
                            .classes = 2,
                            .files = kTables,
                            .form = DatasetForm::sentences,
                            .packing = Packing::archive,
                            .archive = "SST-2.zip",
                            .archive_folder = "SST-2"};

TEST(PrepareGlue, AcceptsTheZipItsFolderAndItsFiles) {
  const ScratchFolder scratch;
  const fs::path from = scratch.path() / "from";
  const Entries entries = {{"SST-2/train.tsv", "sentence\tlabel\na fine film \t1\n"},
                           {"SST-2/dev.tsv", "sentence\tlabel\ndull \t0\n"},
                           {"SST-2/original/README.txt", "about"}};
  put(from / "SST-2.zip", archive_bytes(entries, ArchiveKind::zip));
  const fs::path unpacked = scratch.path() / "unpacked";
  for (const auto& [path, content] : entries) put(unpacked / path, content);
  for (const fs::path& one : {from / "SST-2.zip", from, unpacked, unpacked / "SST-2"}) {
    fs::remove_all(scratch.path() / "home");
    const auto folder = prepare(kGlue, one, scratch.path() / "home", quiet);
    ASSERT_TRUE(folder.ok()) << folder.error().message;
    EXPECT_EQ(*read_file(*folder / "train.tsv"), "sentence\tlabel\na fine film \t1\n");
    EXPECT_EQ(*read_file(*folder / "dev.tsv"), "sentence\tlabel\ndull \t0\n");
  }
}

TEST(PrepareImageFolder, VerifiesTheFolderInPlace) {
  const ScratchFolder scratch;
  put(scratch.path() / "pets/train/cat/1.jpg", jpeg("1"));
  const DatasetInfo& info = **find_dataset("image-folder");
  EXPECT_FALSE(prepare(info, scratch.path() / "pets", scratch.path() / "home", quiet).ok());
  put(scratch.path() / "pets/val/cat/2.jpg", jpeg("2"));
  EXPECT_EQ(*prepare(info, scratch.path() / "pets", scratch.path() / "home", quiet),
            scratch.path() / "pets");
  EXPECT_FALSE(fs::exists(scratch.path() / "home"));
}

}  // namespace
}  // namespace tacho
