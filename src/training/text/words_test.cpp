#include "training/text/words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "training/text/word_counts.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

// Collects words unchanged and special tokens with a star as prefix.
class List final : public WordSink {
 public:
  explicit List(std::size_t most) : most_(most) {}
  bool word(std::string_view word, std::size_t /*characters*/) override {
    words.emplace_back(word);
    return words.size() < most_;
  }
  bool special(SpecialToken token) override {
    words.push_back("*" + std::string(name_of(token)));
    return words.size() < most_;
  }
  std::vector<std::string> words;

 private:
  std::size_t most_;
};

std::vector<std::string> split(std::string_view text, std::size_t most = 1000) {
  List list(most);
  split_words(text, list);
  return list.words;
}

TEST(SplitWords, SplitsAtWhitespaceAndPunctuation) {
  EXPECT_THAT(split("  The fox's \t$5.00\r\ne-mail_x\n"),
              ElementsAre("the", "fox", "'", "s", "$", "5", ".", "00", "e", "-", "mail", "_", "x"));
  EXPECT_THAT(split("a\u00A0b\u2028c\u3000d"), ElementsAre("a", "b", "c", "d"));
  EXPECT_THAT(split("¿Qué?"), ElementsAre("¿", "que", "?"));
  EXPECT_THAT(split(""), IsEmpty());
  EXPECT_THAT(split(" \n"), IsEmpty());
}

TEST(SplitWords, DropsControlCharactersAndInvalidBytes) {
  EXPECT_THAT(split({"x\0y\1z\x7Fx", 7}), ElementsAre("xyzx"));
  EXPECT_THAT(split("so\u00ADft \uFEFFbom a\u200Db"), ElementsAre("soft", "bom", "ab"));
  EXPECT_THAT(split("x\xFFy ol\xE9 \uFFFD"), ElementsAre("xy", "ol"));
  EXPECT_THAT(split("\xE2\x82x"), ElementsAre("x"));
}

TEST(SplitWords, DropsAccentsHoweverTheyAreWritten) {
  EXPECT_THAT(split("NAÏVE nai\u0308ve"), ElementsAre("naive", "naive"));
  EXPECT_THAT(split("İstanbul"), ElementsAre("istanbul"));
  EXPECT_THAT(split("\u0301"), IsEmpty());
  EXPECT_THAT(split("Straße \uFB01n"), ElementsAre("straße", "\uFB01n"));
}

TEST(SplitWords, SeparatesIdeographsButNoOtherScript) {
  EXPECT_THAT(split("a漢字b"), ElementsAre("a", "漢", "字", "b"));
  EXPECT_THAT(split("ひらがなカタ"), ElementsAre("ひらかなカタ"));  // が loses its mark
  EXPECT_THAT(split("\uF900"), ElementsAre("豈"));
}

TEST(SplitWords, TakesSpecialTokensOutOfTheText) {
  EXPECT_THAT(split("A [MASK]b[SEP]"), ElementsAre("a", "*[MASK]", "b", "*[SEP]"));
  EXPECT_THAT(split("[[MASK]]"), ElementsAre("[", "*[MASK]", "]"));
  EXPECT_THAT(split("[mask] [MASK"), ElementsAre("[", "mask", "]", "[", "mask"));
}

TEST(SplitWords, TakesAWordForASpecialTokenIfCleaningMakesItOne) {
  EXPECT_THAT(split("[MA\1SK] x[MA\1SK]"), ElementsAre("*[MASK]", "x", "[", "mask", "]"));
  EXPECT_THAT(split("[MAS\u212A]"), ElementsAre("*[MASK]"));  // the sign for kelvin
}

TEST(SplitWords, StopsWhenTheSinkWantsNoMore) {
  for (const char* text : {"a b c d", "a,b,c", "é é é", "é!é!", "漢字漢", "[SEP] [SEP] [SEP]"}) {
    EXPECT_EQ(split(text, 2).size(), 2U) << text;
  }
}

TEST(WordCounts, IgnoresSpecialTokensAndTooLongWords) {
  WordCounts words;
  words.add("The the, [SEP] " + std::string(100, 'a'));
  words.add("THE " + std::string(101, 'a'));
  EXPECT_THAT(words.counts(),
              UnorderedElementsAre(Pair("the", 3), Pair(",", 1), Pair(std::string(100, 'a'), 1)));
}

}  // namespace
}  // namespace tacho
