#include "training/data/review_folder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::HasSubstr;
namespace fs = std::filesystem;

class ReviewFolder : public testing::Test {
 protected:
  ReviewFolder() {
    put(root_ / "train/pos/1_9.txt", "Good.<br /><br />Very\tgood\n");
    put(root_ / "train/pos/0_7.txt", "Fine");
    put(root_ / "train/neg/0_2.txt", "Bad");
    put(root_ / "test/pos/0_10.txt", "Grüße");
    put(root_ / "test/neg/0_1.txt", "Worse");
    put(root_ / "train/unsup/0_0.txt", "Whatever");
    put(root_ / "train/urls_pos.txt", "http://…");
    put(root_ / "training/train/pos/notes.html", "no review");
  }

  std::string problem(const fs::path& folder) {
    const auto reviews = read_review_folder(folder);
    return reviews.ok() ? "none" : reviews.error().message;
  }

  const ScratchFolder scratch_;
  const fs::path root_ = scratch_.path() / "aclImdb";
};

TEST_F(ReviewFolder, MakesOneTablePerPartWithAlternatingLabels) {
  for (const fs::path& folder : {root_, scratch_.path()}) {
    const auto reviews = read_review_folder(folder);
    ASSERT_TRUE(reviews.ok()) << reviews.error().message;
    EXPECT_FALSE(reviews->empty());
    EXPECT_EQ(reviews->table(Reviews::Part::train), "Bad\t0\nFine\t1\nGood.  Very good \t1\n");
    EXPECT_EQ(reviews->table(Reviews::Part::test), "Worse\t0\nGrüße\t1\n");
  }
}

TEST_F(ReviewFolder, RecognizesReviewsByPath) {
  for (const char* path :
       {"train/pos/0_9.txt", "aclImdb/test/neg/1_1.txt", "./a/train/neg/x.txt"}) {
    EXPECT_TRUE(Reviews::is_review(path)) << path;
  }
  for (const char* path :
       {"", "0_9.txt", "pos/0_9.txt", "train/pos", "train/unsup/0_0.txt", "dev/pos/0_9.txt",
        "train/pos/0_9.feat", "train/pos/._0_9.txt", "train/pos/more/0_9.txt"}) {
    EXPECT_FALSE(Reviews::is_review(path)) << path;
  }
}

TEST_F(ReviewFolder, NamesAMissingFolder) {
  fs::remove_all(root_ / "test/neg");
  EXPECT_EQ(problem(scratch_.path()),
            root_.string() +
                ": has no test/neg; expected aclImdb_v1.tar.gz, or its folder with "
                "train/pos, train/neg, test/pos and test/neg");
}

TEST_F(ReviewFolder, NamesAnInvalidReview) {
  const fs::path file = root_ / "train/pos/5_9.txt";
  put(file, "b\xE9te");
  EXPECT_EQ(problem(root_), file.string() + ": not UTF-8");
  put(file, " <br />\n");
  EXPECT_EQ(problem(root_), file.string() + ": contains no text");
  put(file, std::string((1 << 20) + 1, 'x'));
  EXPECT_THAT(problem(root_), HasSubstr(file.string() + ": "));
}

TEST_F(ReviewFolder, RejectsADuplicateReview) {
  Reviews reviews;
  ASSERT_TRUE(reviews.add("a/train/pos/0_9.txt", "good").ok());
  ASSERT_TRUE(reviews.add("a/test/pos/0_9.txt", "good").ok());
  EXPECT_EQ(reviews.add("b/train/pos/0_9.txt", "good").error().message,
            "b/train/pos/0_9.txt: occurs twice");
}

}  // namespace
}  // namespace tacho
