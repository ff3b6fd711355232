#include "training/data/fetch/devkit.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "training/data/fetch/test_imagenet.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
namespace fs = std::filesystem;

class MetaMat : public testing::Test {
 protected:
  const TestImagenet release_;
  const ScratchFolder folder_;
  const fs::path file_ = folder_.path() / "meta.mat";
};

TEST_F(MetaMat, ReadsEverySynset) {
  put_meta_mat(file_, release_.synsets);
  const auto synsets = read_meta_mat(file_);
  ASSERT_TRUE(synsets.ok()) << synsets.error().message;
  ASSERT_EQ(synsets->size(), 4U);
  const Synset& first = synsets->front();
  EXPECT_EQ(first.number, 2);
  EXPECT_EQ(first.id, "n00000002");
  EXPECT_EQ(first.words, "goldfish");
  EXPECT_EQ(first.children, 0);
  EXPECT_EQ(first.train_images, 3);
  EXPECT_EQ(synsets->back().children, 3);
}

TEST_F(MetaMat, AcceptsMissingCounts) {
  put_meta_mat(file_, release_.synsets, false);
  const auto synsets = read_meta_mat(file_);
  ASSERT_TRUE(synsets.ok()) << synsets.error().message;
  EXPECT_EQ(synsets->front().train_images, std::nullopt);
  EXPECT_EQ(synsets->back().children, 0);
}

TEST_F(MetaMat, RejectsOtherFiles) {
  EXPECT_EQ(read_meta_mat(file_).error().message, "not a MATLAB file");
  put(file_, "<html>");
  EXPECT_EQ(read_meta_mat(file_).error().message, "not a MATLAB file");
  put_meta_mat(file_, release_.synsets, true, "others");
  EXPECT_EQ(read_meta_mat(file_).error().message, "has no struct array 'synsets'");
}

TEST_F(MetaMat, NamesAnInvalidSynset) {
  auto synsets = release_.synsets;
  synsets[1].id = "../../x";
  put_meta_mat(file_, synsets);
  EXPECT_EQ(read_meta_mat(file_).error().message, "synset 2: its WNID '../../x' is not valid");
  synsets[1] = release_.synsets[1];
  synsets[2].number = -3;
  put_meta_mat(file_, synsets);
  EXPECT_EQ(read_meta_mat(file_).error().message, "synset 3: its ILSVRC2012_ID is not a number");
}

TEST_F(MetaMat, SurvivesMutations) {
  const std::string whole = meta_mat_bytes(release_.synsets);
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    put(file_, mutated(whole, random));
    const auto synsets = read_meta_mat(file_);
    if (!synsets.ok()) continue;
    for (const Synset& synset : *synsets) EXPECT_EQ(synset.id.size(), 9U);
  }
}

TEST(ClassesAmong, ReturnsTheLeavesOrderedByNumber) {
  const TestImagenet release;
  const auto classes = classes_among(release.synsets, 3);
  ASSERT_TRUE(classes.ok()) << classes.error().message;
  std::vector<std::string> ids;
  for (const Synset& synset : *classes) ids.push_back(synset.id);
  EXPECT_THAT(ids, ElementsAre("n00000003", "n00000002", "n00000001"));
  EXPECT_TRUE(classes_among(release.synsets, 0).ok());
}

TEST(ClassesAmong, RejectsGapsAndOtherCounts) {
  const TestImagenet release;
  EXPECT_EQ(classes_among(release.synsets, 4).error().message, "3 classes, expected 4");
  EXPECT_EQ(classes_among({}, 0).error().message, "0 classes, expected some");
  auto synsets = release.synsets;
  synsets[0].number = 1;
  EXPECT_EQ(classes_among(synsets, 3).error().message, "no class has the ILSVRC2012_ID 2");
  synsets = release.synsets;
  synsets[0].id = synsets[1].id;
  EXPECT_EQ(classes_among(synsets, 3).error().message, "n00000003 occurs twice");
}

TEST(GroundTruth, HasOneNumberPerLine) {
  EXPECT_THAT(*parse_ground_truth("3\n1\n2", 3), ElementsAre(2, 0, 1));
  EXPECT_THAT(*parse_ground_truth("3\r\n1\r\n", 3), ElementsAre(2, 0));
}

TEST(GroundTruth, AnErrorNamesTheLine) {
  const auto problem = [](std::string_view text) {
    return parse_ground_truth(text, 3).error().message;
  };
  EXPECT_EQ(problem("1\n4\n"), "line 2: 4 is not a class (expected 1 to 3)");
  EXPECT_EQ(problem("0\n"), "line 1: 0 is not a class (expected 1 to 3)");
  EXPECT_EQ(problem("1\n\n2\n"), "line 2: '' is not a count");
  EXPECT_EQ(problem("1 2\n"), "line 1: '1 2' is not a count");
  EXPECT_EQ(problem("99999999999999999999\n"), "line 1: '99999999999999999999' is not a count");
  EXPECT_EQ(problem(""), "contains no class");
}

TEST(GroundTruth, SurvivesMutations) {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const auto answers = parse_ground_truth(mutated("490\n361\n171\n822\n", random), 1000);
    if (!answers.ok()) continue;
    for (const std::size_t answer : *answers) EXPECT_LT(answer, 1000U);
  }
}

TEST(Devkit, AnErrorNamesArchiveAndFile) {
  const ScratchFolder folder;
  const fs::path archive = folder.path() / "ILSVRC2012_devkit_t12.tar.gz";
  TestImagenet release;
  release.truth = "3\n1\n2\n9\n";
  release.put_in(folder.path());
  EXPECT_EQ(read_devkit(archive, TestImagenet::info()).error().message,
            archive.string() +
                ": ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt: line 4: 9 is "
                "not a class (expected 1 to 3)");
  release.truth = "3\n1\n2\n";
  release.put_in(folder.path());
  EXPECT_THAT(read_devkit(archive, TestImagenet::info()).error().message,
              HasSubstr("ground_truth.txt: 3 lines, expected 4"));
  release.synsets.pop_back();
  release.synsets.pop_back();
  release.put_in(folder.path());
  EXPECT_EQ(read_devkit(archive, TestImagenet::info()).error().message,
            archive.string() + ": ILSVRC2012_devkit_t12/data/meta.mat: 2 classes, expected 3");
  put(archive, archive_bytes({{"other", "x"}}, ArchiveKind::tar_gz));
  EXPECT_EQ(
      read_devkit(archive, TestImagenet::info()).error().message,
      archive.string() +
          ": does not contain ILSVRC2012_devkit_t12/data/ILSVRC2012_validation_ground_truth.txt");
}

}  // namespace
}  // namespace tacho
