#include "training/data/sentences.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/scratch_folder.h"
#include "training/data/test_files.h"

namespace tacho {
namespace {

using testing::ElementsAre;

class ReadSentences : public testing::Test {
 protected:
  std::vector<LabelledSentence> read(std::string_view content) {
    put(file_, content);
    auto sentences = read_sentences(file_);
    EXPECT_TRUE(sentences.ok()) << sentences.error().message;
    return sentences.ok() ? *sentences : std::vector<LabelledSentence>{};
  }

  std::string problem(std::string_view content) {
    put(file_, content);
    const auto sentences = read_sentences(file_);
    if (sentences.ok()) return "none";
    return sentences.error().message.substr(folder_.path().string().size() + 1);
  }

  const ScratchFolder folder_;
  const std::filesystem::path file_ = folder_.path() / "train.tsv";
};

TEST_F(ReadSentences, ReadsSentencesUnchanged) {
  const auto sentences = read("  A Na\xC3\x8Fve  FILM \t1\nbad\t0\n");
  ASSERT_EQ(sentences.size(), 2U);
  EXPECT_EQ(sentences[0].text, "  A Na\xC3\x8Fve  FILM ");
  EXPECT_EQ(sentences[0].label, 1);
  EXPECT_EQ(sentences[1].text, "bad");
  EXPECT_EQ(sentences[1].label, 0);
}

TEST(LowerCaseWords, SplitsAtSpacesAndLowersAsciiLetters) {
  EXPECT_THAT(lower_case_words("  A Na\xC3\x8Fve  FILM "),
              ElementsAre("a", "na\xC3\x8Fve", "film"));
  EXPECT_TRUE(lower_case_words(" \t ").empty());
}

TEST(LowerCaseWords, SeparatesPunctuation) {
  EXPECT_THAT(lower_case_words("(Great, isn't it?...  A sci-fi \"film\": 10/10!!)"),
              ElementsAre("(", "great", ",", "isn't", "it", "?", "...", "a", "sci-fi", "\"", "film",
                          "\"", ":", "10", "/", "10", "!!", ")"));
}

// The first lines of GLUE's train.tsv and dev.tsv; its sentences end with a space.
TEST_F(ReadSentences, ReadsGluesRelease) {
  const auto sentences = read(
      "sentence\tlabel\nhide new secretions from the parental units \t0\n"
      "contains no wit , only labored gags \t0\nit 's a charming and often affecting journey . "
      "\t1\n");
  ASSERT_EQ(sentences.size(), 3U);
  EXPECT_EQ(lower_case_words(sentences[0].text).size(), 7U);
  EXPECT_EQ(sentences[2].label, 1);
}

TEST_F(ReadSentences, ReadsAllFormsOfTheFile) {
  for (const std::string& content :
       {std::string("good\t1\nbad\t0\n"), std::string("good\t1\nbad\t0"),
        std::string("good\t1\r\nbad\t0\r\n"), std::string("sentence\tlabel\ngood\t1\nbad\t0\n"),
        gzipped("good\t1\nbad\t0\n")}) {
    EXPECT_EQ(read(content).size(), 2U) << content;
  }
}

TEST_F(ReadSentences, AnErrorNamesFileAndLine) {
  EXPECT_EQ(problem("good\t1\nbad\n"),
            "train.tsv: line 2: no label (expected 'sentence<TAB>0 or 1')");
  EXPECT_EQ(problem("good\t1\n\nbad\t0\n"),
            "train.tsv: line 2: no label (expected 'sentence<TAB>0 or 1')");
  for (const char* line : {"good\t", "good\t2", "good\t01", "good\t1\t1", "good\t1 ", "good\t-1"}) {
    EXPECT_EQ(problem(line),
              "train.tsv: line 1: the label is neither 0 nor 1 (expected 'sentence<TAB>0 or 1')");
  }
  EXPECT_EQ(problem("sentence\tlabel\n \t1\n"),
            "train.tsv: line 2: no sentence (expected 'sentence<TAB>0 or 1')");
  EXPECT_EQ(problem("good\t1\nb\xE9te\t0\n"),
            "train.tsv: line 2: not UTF-8 (expected 'sentence<TAB>0 or 1')");
}

TEST_F(ReadSentences, RejectsAFileWithoutSentences) {
  EXPECT_EQ(problem(""), "train.tsv: contains no sentence");
  EXPECT_EQ(problem("sentence\tlabel\n"), "train.tsv: contains no sentence");
}

TEST_F(ReadSentences, SurvivesMutations) {
  const std::string whole = "sentence\tlabel\nA na\xC3\xAFve film\t1\nbad , bad film\t0\n";
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    put(file_, mutated(i % 2 == 0 ? whole : gzipped(whole), random));
    const auto sentences = read_sentences(file_);
    if (!sentences.ok()) continue;
    for (const LabelledSentence& sentence : *sentences) {
      EXPECT_FALSE(lower_case_words(sentence.text).empty());
      EXPECT_TRUE(sentence.label == 0 || sentence.label == 1);
    }
  }
}

}  // namespace
}  // namespace tacho
