#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/train/input/batch_source.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

// Learned word pieces must outlive the sentences they were learned from.
class LearnedVocabulary : public testing::Test {
 protected:
  LearnedVocabulary() {
    std::filesystem::create_directories(data_);
    put("train.tsv", "a good film\t1\na bad film\t0\n");
    put("dev.tsv", "a good film\t1\n");
    spec_.model = "distilbert";
    spec_.data = "sst2";
    spec_.data_folder = data_.string();
    spec_.batch = 2;
  }

  void put(const char* name, std::string_view content) const {
    ASSERT_TRUE(write_file_atomically(data_ / name, content).ok());
  }
  Result<InputParts> open() const { return open_input(spec_, scratch_.path(), run_); }
  // Returns the evaluation sentence as the model sees it.
  std::vector<std::int64_t> tokens() const {
    const auto input = open();
    if (!input.ok()) return {};
    Batch batch;
    input->eval->begin_epoch(0);
    if (!*input->eval->next(batch)) return {};
    const auto* first = batch.inputs.data_ptr<std::int64_t>();
    return {first, first + batch.inputs.numel()};
  }

  ScratchFolder scratch_;
  std::filesystem::path data_ = scratch_.path() / "data";
  RunFolder run_{scratch_.path() / "run"};
  RunSpec spec_;
};

TEST_F(LearnedVocabulary, IsKeptWithTheRun) {
  const auto input = open();
  ASSERT_TRUE(input.ok()) << input.error().message;
  const auto kept = read_file(run_.vocabulary());
  ASSERT_TRUE(kept.ok()) << kept.error().message;
  EXPECT_THAT(*kept, StartsWith("[PAD]\n"));
  EXPECT_THAT(*kept, HasSubstr("\nfilm\n"));
  EXPECT_EQ(std::count(kept->begin(), kept->end(), '\n'), input->shape.vocabulary);
}

TEST_F(LearnedVocabulary, IsNotLearnedAgainByAResumedRun) {
  const auto before = tokens();
  ASSERT_FALSE(before.empty());
  put("train.tsv", "zebras zigzag zestfully\t1\nquite another quiet quarrel\t0\n");
  EXPECT_EQ(tokens(), before);
  std::filesystem::remove(run_.vocabulary());
  EXPECT_NE(tokens(), before);
}

TEST_F(LearnedVocabulary, IsNamedIfDamaged) {
  ASSERT_TRUE(open().ok());
  ASSERT_TRUE(write_file_atomically(run_.vocabulary(), "film\n").ok());
  const auto again = open();
  ASSERT_FALSE(again.ok());
  EXPECT_THAT(again.error().message, HasSubstr(run_.vocabulary().string()));
}

TEST_F(LearnedVocabulary, IsKeptEvenIfAFileWasGiven) {
  spec_.vocabulary = (scratch_.path() / "named.txt").string();
  ASSERT_TRUE(
      write_file_atomically(spec_.vocabulary, "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\na\ngood\nfilm\n")
          .ok());
  EXPECT_EQ(tokens(), (std::vector<std::int64_t>{2, 5, 6, 7, 3}));
  EXPECT_EQ(*read_file(run_.vocabulary()), *read_file(spec_.vocabulary));
}

}  // namespace
}  // namespace tacho
