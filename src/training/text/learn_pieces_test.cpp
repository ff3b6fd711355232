#include "training/text/learn_pieces.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "training/text/word_piece.h"

namespace tacho {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::ElementsAreArray;
using testing::Not;

WordCounts count(std::initializer_list<std::string_view> texts) {
  WordCounts words;
  for (const std::string_view text : texts) words.add(text);
  return words;
}

// Returns the learned tokens, without the special ones.
std::vector<std::string> learned(const WordCounts& words, const LearnOptions& options) {
  const auto vocabulary = learn_pieces(words, options);
  EXPECT_TRUE(vocabulary.ok()) << vocabulary.error().message;
  if (!vocabulary.ok()) return {};
  EXPECT_TRUE(
      std::equal(kSpecialTokens.begin(), kSpecialTokens.end(), vocabulary->tokens().begin()));
  return {vocabulary->tokens().begin() + kSpecialTokens.size(), vocabulary->tokens().end()};
}

// hug 10, pug 5, pun 12, bun 4, hugs 5: ##u ##g 20 times, ##u ##n 16, h ##ug 15, p ##un 12, …
const std::initializer_list<std::string_view> kHugs = {
    "hug hug hug hug hug hug hug hug hug hug", "pug pug pug pug pug",
    "pun pun pun pun pun pun pun pun pun pun pun pun", "bun bun bun bun",
    "hugs hugs hugs hugs hugs"};

TEST(LearnPieces, JoinsTheMostFrequentNeighboursFirst) {
  EXPECT_THAT(learned(count(kHugs), {.size = 5 + 11 + 4}),
              ElementsAre("b", "g", "h", "n", "p", "s", "u", "##g", "##n", "##s", "##u", "##ug",
                          "##un", "hug", "pun"));
}

TEST(LearnPieces, StopsWhenNothingOccursOftenEnough) {
  // hug ##s 5, p ##ug 5, b ##un 4: ties are resolved by token number, p before hug.
  EXPECT_THAT(learned(count(kHugs), {.size = 1000, .min_count = 5}),
              ElementsAre("b", "g", "h", "n", "p", "s", "u", "##g", "##n", "##s", "##u", "##ug",
                          "##un", "hug", "pun", "pug", "hugs"));
  EXPECT_THAT(learned(count(kHugs), {.size = 1000, .min_count = 4}), Contains("bun"));
  EXPECT_THAT(learned(count({"once"}), {.size = 1000}), Not(Contains("on")));
}

TEST(LearnPieces, CountsOverlappingNeighboursAsOftenAsTheyOccur) {
  // aaaa: a ##a once, ##a ##a twice in each word; joined they are a, ##aa, ##a.
  EXPECT_THAT(learned(count({"aaaa aaaa"}), {.size = 5 + 3}), ElementsAre("a", "##a", "##aa"));
  EXPECT_THAT(learned(count({"aaaa aaaa"}), {.size = 100}),
              ElementsAre("a", "##a", "##aa", "aaa", "aaaa"));
}

TEST(LearnPieces, LeavesOutTheRarestCharactersAndTheirWords) {
  const auto tokens =
      learned(count({"ab ab ab", "xb xb xb xb xb xb", "ya"}), {.size = 100, .most_characters = 3});
  // b 9, x 6, a 4, y 1
  EXPECT_THAT(tokens, ElementsAre("a", "b", "x", "##b", "xb", "ab"));
}

TEST(LearnPieces, RefusesASizeThatCannotHoldTheCharacters) {
  const auto vocabulary = learn_pieces(count({"abc"}), {.size = 9});
  ASSERT_FALSE(vocabulary.ok());
  EXPECT_EQ(vocabulary.error().code, ErrorCode::usage);
  EXPECT_EQ(vocabulary.error().message,
            "a vocabulary of 9 tokens cannot hold the text's 3 characters; use at least 10");
}

TEST(LearnPieces, LearnsOnlySpecialTokensFromNoText) {
  EXPECT_TRUE(learned(count({}), {.size = 5}).empty());
}

TEST(LearnPieces, DoesNotDependOnTheOrderOfTheText) {
  std::vector<std::string> texts;
  for (int i = 0; i < 300; ++i) {
    texts.push_back("w" + std::to_string(i * 7919 % 1000) + "x " + std::to_string(i * i));
  }
  WordCounts forwards;
  for (const auto& text : texts) forwards.add(text);
  WordCounts backwards;
  for (auto at = texts.rbegin(); at != texts.rend(); ++at) backwards.add(*at);
  EXPECT_THAT(learned(forwards, {.size = 120}),
              ElementsAreArray(learned(backwards, {.size = 120})));
}

TEST(LearnPieces, LeavesNoWordOfItsTextUnknown) {
  const WordCounts words = count({"The naïve café, 漢字!", "Ελληνικά Привет 한국어"});
  const WordPiece word_piece(*learn_pieces(words, {.size = 500}));
  const auto tokens = word_piece.tokens("한국어 the Ελληνικά, naive! Привет 字漢");
  EXPECT_THAT(tokens, Not(Contains(word_piece.vocabulary().special(SpecialToken::unknown))));
}

}  // namespace
}  // namespace tacho
