#include "data/text_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "data/test_files.h"

namespace tacho {
namespace {

using testing::ElementsAre;

class LoadText : public testing::Test {
 protected:
  LoadText() {
    // c: 3 times, a and b: twice, rare: once.
    put(folder_.path() / "train.tsv", "c b a\t1\nC b\t0\nc a rare\t1\n");
    put(folder_.path() / "dev.tsv.gz", gzipped("new c\t0\n"));
  }

  const ScratchFolder folder_;
  DatasetInfo info_{.name = "reviews",
                    .input = InputKind::text,
                    .help = "",
                    .classes = 2,
                    .files = {},
                    .min_word_count = 2};
};

TEST_F(LoadText, NumbersWordsByFrequencyThenAlphabet) {
  const auto data = load_text(info_, folder_.path());
  ASSERT_TRUE(data.ok()) << data.error().message;
  // 0 padding, 1 unknown, 2 c, 3 a, 4 b
  EXPECT_EQ(data->vocabulary, 5);
  EXPECT_EQ(data->classes, 2);
  EXPECT_THAT(data->train.tokens,
              ElementsAre(ElementsAre(2, 4, 3), ElementsAre(2, 4), ElementsAre(2, 3, 1)));
  EXPECT_THAT(data->train.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(data->eval.tokens, ElementsAre(ElementsAre(1, 2)));
  EXPECT_THAT(data->eval.labels, ElementsAre(0));
}

TEST_F(LoadText, KeepsRareWordsIfTold) {
  info_.min_word_count = 1;
  const auto data = load_text(info_, folder_.path());
  EXPECT_EQ(data->vocabulary, 6);
  EXPECT_THAT(data->train.tokens[2], ElementsAre(2, 3, 5));
}

TEST_F(LoadText, NamesThePartThatIsMissing) {
  std::filesystem::remove(folder_.path() / "dev.tsv.gz");
  EXPECT_EQ(load_text(info_, folder_.path()).error().message,
            (folder_.path() / "dev.tsv").string() + ": No such file or directory");
}

}  // namespace
}  // namespace tacho
