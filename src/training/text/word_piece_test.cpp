#include "training/text/word_piece.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

namespace tacho {
namespace {

using testing::ElementsAre;

// 0 [PAD], 1 [UNK], 2 [CLS], 3 [SEP], 4 [MASK], then `more` in order.
WordPiece word_piece_of(std::string_view more) {
  auto vocabulary =
      PieceVocabulary::parse("[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\n" + std::string(more));
  EXPECT_TRUE(vocabulary.ok()) << vocabulary.error().message;
  return WordPiece(*std::move(vocabulary));
}

class Tokens : public testing::Test {
 protected:
  const WordPiece word_piece_ = word_piece_of("un\n##aff\n##able\n##a\naff\nunable\n,\né\n##é\n漢");
  static constexpr std::int32_t kUn = 5;
  static constexpr std::int32_t kMoreAff = 6;
  static constexpr std::int32_t kMoreAble = 7;
  static constexpr std::int32_t kMoreA = 8;
  static constexpr std::int32_t kAff = 9;
  static constexpr std::int32_t kUnable = 10;
  static constexpr std::int32_t kComma = 11;
  static constexpr std::int32_t kIdeograph = 14;
};

TEST_F(Tokens, AreTheLongestPiecesFromTheFront) {
  EXPECT_THAT(word_piece_.tokens("unaffable"), ElementsAre(2, kUn, kMoreAff, kMoreAble, 3));
  EXPECT_THAT(word_piece_.tokens("Unable, aff"), ElementsAre(2, kUnable, kComma, kAff, 3));
  EXPECT_THAT(word_piece_.tokens("una漢"), ElementsAre(2, kUn, kMoreA, kIdeograph, 3));
}

TEST_F(Tokens, AreOneUnknownForAWordThatCannotBeCovered) {
  EXPECT_THAT(word_piece_.tokens("unaffx"), ElementsAre(2, 1, 3));
  EXPECT_THAT(word_piece_.tokens("able un"), ElementsAre(2, 1, kUn, 3));  // only ##able exists
  EXPECT_THAT(word_piece_.tokens("é"), ElementsAre(2, 1, 3));             // e, without its accent
}

TEST_F(Tokens, AreOneUnknownForAWordOfMoreThanAHundredCharacters) {
  const WordPiece word_piece = word_piece_of("a\n##a\nμ\n##μ\n");
  EXPECT_EQ(word_piece.tokens(std::string(100, 'a')).size(), 102U);
  EXPECT_THAT(word_piece.tokens(std::string(101, 'a')), ElementsAre(2, 1, 3));
  std::string letters;
  for (int i = 0; i < 100; ++i) letters += "μ";
  EXPECT_EQ(word_piece.tokens(letters).size(), 102U);  // characters, not bytes
}

TEST_F(Tokens, AreOnlyBeginAndEndForNoText) {
  EXPECT_THAT(word_piece_.tokens(""), ElementsAre(2, 3));
  EXPECT_THAT(word_piece_.tokens(" \n"), ElementsAre(2, 3));
}

TEST_F(Tokens, AreTruncatedToTheRequestedLength) {
  const std::string_view text = "unaffable unx un";
  EXPECT_THAT(word_piece_.tokens(text, 2), ElementsAre(2, 3));
  EXPECT_THAT(word_piece_.tokens(text, 3), ElementsAre(2, kUn, 3));
  EXPECT_THAT(word_piece_.tokens(text, 5), ElementsAre(2, kUn, kMoreAff, kMoreAble, 3));
  EXPECT_THAT(word_piece_.tokens(text, 6), ElementsAre(2, kUn, kMoreAff, kMoreAble, 1, 3));
  EXPECT_THAT(word_piece_.tokens(text, 7), ElementsAre(2, kUn, kMoreAff, kMoreAble, 1, kUn, 3));
  EXPECT_EQ(word_piece_.tokens(text, 8), word_piece_.tokens(text));
}

TEST_F(Tokens, AreSpecialWhereTheTextNamesThem) {
  EXPECT_THAT(word_piece_.tokens("un[MASK]aff [SEP] [PAD]"), ElementsAre(2, kUn, 4, kAff, 3, 0, 3));
}

// Bytes of all kinds, with prefixes and suffixes of the tokenizer's patterns.
TEST_F(Tokens, ExistForEverySequenceOfBytes) {
  constexpr std::string_view kParts[] = {
      "un",           "aff",         "able",         " ",        "[MASK]", "[MA",      "SK]",
      "\xCE\xA3",     "\xCC\x81",    "\xE6\xBC\xA2", "\xE6\xBC", "\xC4",   "\xED\xA0", "\xF0\x9F",
      "\xE1\x84\x92", "\xE2\x84\xAA"};
  std::mt19937 random(1);
  for (int i = 0; i < 20'000; ++i) {
    std::string text;
    for (auto left = random() % 12; left > 0; --left) {
      if (random() % 2 == 0) {
        text += kParts[random() % std::size(kParts)];
      } else {
        text += static_cast<char>(random());
      }
    }
    const auto tokens = word_piece_.tokens(text, 8);
    ASSERT_GE(tokens.size(), 2U);
    ASSERT_LE(tokens.size(), 8U);
    EXPECT_EQ(tokens.front(), 2);
    EXPECT_EQ(tokens.back(), 3);
    for (const std::int32_t token : tokens) {
      EXPECT_GE(token, 0);
      EXPECT_LT(token, word_piece_.vocabulary().size());
    }
  }
}

}  // namespace
}  // namespace tacho
