#include "training/data/text_data.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/data/test_files.h"

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

TEST_F(LoadText, KeepsRareWordsWithAMinimumOfOne) {
  info_.min_word_count = 1;
  const auto data = load_text(info_, folder_.path());
  EXPECT_EQ(data->vocabulary, 6);
  EXPECT_THAT(data->train.tokens[2], ElementsAre(2, 3, 5));
}

TEST_F(LoadText, TruncatesSentencesToTheMaximumLength) {
  const auto data = load_text(info_, folder_.path(), {.max_length = 2});
  EXPECT_THAT(data->train.tokens,
              ElementsAre(ElementsAre(2, 4), ElementsAre(2, 4), ElementsAre(2, 3)));
}

TEST_F(LoadText, NamesAMissingPart) {
  std::filesystem::remove(folder_.path() / "dev.tsv.gz");
  EXPECT_EQ(load_text(info_, folder_.path()).error().message,
            (folder_.path() / "dev.tsv").string() + ": No such file or directory");
}

class LoadWordPieces : public LoadText {
 protected:
  std::string problem() {
    const auto data = load_text(info_, folder_.path(), options_);
    return data.ok() ? "none" : data.error().message;
  }

  const std::filesystem::path vocab_ = folder_.path() / "vocab.txt";
  TextOptions options_{.kind = TokenKind::wordpiece};
};

TEST_F(LoadWordPieces, UsesTheTokensOfAVocabularyFile) {
  put(vocab_, "[PAD]\n[UNK]\n[CLS]\n[SEP]\na\nb\nc\nr\n##are\n");
  options_.vocabulary_file = vocab_;
  const auto data = load_text(info_, folder_.path(), options_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  EXPECT_EQ(data->vocabulary, 9);
  EXPECT_EQ(data->padding, 0);
  EXPECT_THAT(data->train.tokens, ElementsAre(ElementsAre(2, 6, 5, 4, 3), ElementsAre(2, 6, 5, 3),
                                              ElementsAre(2, 6, 4, 7, 8, 3)));
  EXPECT_THAT(data->train.labels, ElementsAre(1, 0, 1));
  EXPECT_THAT(data->eval.tokens, ElementsAre(ElementsAre(2, 1, 6, 3)));
}

TEST_F(LoadWordPieces, LearnsAVocabularyFromTheTrainingPartOnly) {
  put(folder_.path() / "train.tsv", "good good\t1\nbad goods\t0\n");
  put(folder_.path() / "dev.tsv", "good zoo\t0\n");
  std::filesystem::remove(folder_.path() / "dev.tsv.gz");
  const auto data = load_text(info_, folder_.path(), options_);
  ASSERT_TRUE(data.ok()) << data.error().message;
  ASSERT_TRUE(data->pieces.has_value());
  EXPECT_EQ(data->vocabulary, data->pieces->size());
  const auto& tokens = data->pieces->tokens();
  EXPECT_EQ(tokens[static_cast<std::size_t>(data->train.tokens[0][1])], "good");
  EXPECT_EQ(data->eval.tokens[0].size(), 4U);
  EXPECT_EQ(data->eval.tokens[0][2], data->pieces->special(SpecialToken::unknown));
}

TEST_F(LoadWordPieces, ReproducesTokensWithASavedVocabulary) {
  const auto learned = load_text(info_, folder_.path(), options_);
  ASSERT_TRUE(learned->pieces->save(vocab_).ok());
  options_.vocabulary_file = vocab_;
  const auto again = load_text(info_, folder_.path(), options_);
  EXPECT_EQ(again->train.tokens, learned->train.tokens);
  EXPECT_EQ(again->eval.tokens, learned->eval.tokens);
}

TEST_F(LoadWordPieces, TruncatesSentencesToTheMaximumLength) {
  options_.max_length = 3;
  const auto data = load_text(info_, folder_.path(), options_);
  for (const auto& tokens : data->train.tokens) EXPECT_EQ(tokens.size(), 3U);
  options_.max_length = 2;
  EXPECT_EQ(
      problem(),
      "a sentence of at most 2 tokens has no room for a word between [CLS] and [SEP]; allow 3 "
      "or more");
}

TEST_F(LoadWordPieces, RequiresPaddingToBeTokenZero) {
  put(vocab_, "[UNK]\n[PAD]\n[CLS]\n[SEP]\n");
  options_.vocabulary_file = vocab_;
  EXPECT_EQ(problem(),
            vocab_.string() +
                ": line 2: [PAD] must be on the first line, because batches are padded with "
                "token 0");
}

TEST_F(LoadWordPieces, ReportsAnInvalidVocabulary) {
  options_.vocabulary_file = vocab_;
  EXPECT_EQ(problem(), vocab_.string() + ": No such file or directory");
  put(vocab_, "[PAD]\na\na\n");
  EXPECT_EQ(problem(), vocab_.string() + ": line 3: 'a' is on line 2 already; remove one of them");
}

}  // namespace
}  // namespace tacho
