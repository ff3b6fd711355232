#include "training/data/fetch/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/data/fetch/test_dataset.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::ElementsAre;

class Verify : public testing::Test {
 protected:
  Verify() {
    put(folder_ / "one", kContentOfOne);
    put(folder_ / "two.gz", gzipped(kContentOfTwo));
  }

  // Returns the state of each file, then the first problem.
  std::vector<std::string> found(const DatasetInfo& info = kTestDataset) {
    std::vector<std::string> texts;
    const auto reports = verify(info, folder_, quiet);
    for (const FileReport& report : reports) texts.emplace_back(kFileStates.of(report.state));
    const auto checked = check(reports);
    texts.push_back(checked.ok() ? "" : checked.error().message);
    return texts;
  }

  const ScratchFolder scratch_;
  const std::filesystem::path folder_ = scratch_.path() / "pair";
};

TEST_F(Verify, AcceptsPlainAndCompressedFiles) {
  EXPECT_THAT(found(), ElementsAre("ok", "ok", ""));
}

TEST_F(Verify, ReportsAMissingFile) {
  std::filesystem::remove(folder_ / "one");
  EXPECT_THAT(found(), ElementsAre("missing", "ok",
                                   (folder_ / "one").string() + ": No such file or directory"));
  EXPECT_EQ(check(verify(kTestDataset, folder_, quiet)).error().code, ErrorCode::not_found);
}

TEST_F(Verify, ReportsAWrongSize) {
  put(folder_ / "one", "fir");
  EXPECT_THAT(found(), ElementsAre("wrong size", "ok",
                                   (folder_ / "one").string() + ": 3 bytes, expected 5"));
  put(folder_ / "one", "first!");
  EXPECT_THAT(found(),
              ElementsAre("wrong size", "ok",
                          (folder_ / "one").string() + ": more than the expected 5 bytes"));
}

TEST_F(Verify, ReportsAWrongChecksum) {
  put(folder_ / "one", "First");
  EXPECT_THAT(
      found(),
      ElementsAre("wrong checksum", "ok",
                  (folder_ / "one").string() +
                      ": its SHA-256 is "
                      "a151ceb1711aad529a7704248f03333990022ebbfa07a7f04c004d70c167919f, expected "
                      "a7937b64b8caa58f03721bb6bacf5c78cb235febe0e70b1b84cd99541461a08e"));
}

TEST_F(Verify, ReportsAnUnreadableFile) {
  put(folder_ / "two.gz", gzipped(kContentOfTwo).substr(0, 12));
  std::filesystem::remove(folder_ / "one");
  std::filesystem::create_directory(folder_ / "one");
  EXPECT_THAT(found(), ElementsAre("unreadable", "unreadable",
                                   (folder_ / "one").string() + ": Is a directory"));
}

TEST_F(Verify, ReadsSentencesWithoutAChecksum) {
  put(folder_ / "train.tsv", "good\t1\n");
  put(folder_ / "dev.tsv", "good\n");
  EXPECT_THAT(found(**find_dataset("sst2")),
              ElementsAre("ok", "unreadable",
                          (folder_ / "dev.tsv").string() +
                              ": line 1: no label (expected 'sentence<TAB>0 or 1')"));
}

TEST_F(Verify, CountsSentencesIfTheirNumberIsKnown) {
  constexpr std::array kFiles = {DatasetFile{.name = "train.tsv", .per_label = 1}};
  const DatasetInfo info{.name = "few",
                         .input = InputKind::text,
                         .help = "",
                         .classes = 2,
                         .files = kFiles,
                         .form = DatasetForm::sentences};
  put(folder_ / "train.tsv", "good\t1\nbad\t0\n");
  EXPECT_THAT(found(info), ElementsAre("ok", ""));
  put(folder_ / "train.tsv", "good\t1\nbad\t0\nbetter\t1\n");
  EXPECT_THAT(found(info), ElementsAre("wrong count", (folder_ / "train.tsv").string() +
                                                          ": 2 sentences of label 1, expected 1"));
}

TEST_F(Verify, ReportsEachStep) {
  std::vector<std::string> said;
  verify(kTestDataset, folder_, [&said](std::string_view text) { said.emplace_back(text); });
  EXPECT_THAT(said, ElementsAre("checking one", "checking two"));
}

TEST(FashionMnist, InDebianEqualsThePublishedRelease) {
  const DatasetInfo& info = **find_dataset("fashion-mnist");
  const auto checked = check(verify(info, info.system_folder, quiet));
  EXPECT_TRUE(checked.ok()) << checked.error().message;
}

}  // namespace
}  // namespace tacho
