#include "training/text/piece_vocabulary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/file.h"
#include "base/scratch_folder.h"
#include "training/text/word_piece.h"

namespace tacho {
namespace {

using testing::ElementsAre;

constexpr std::string_view kWhole = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nna\xC3\xAFve\n##s\n";

std::string problem(std::string_view lines) {
  const auto vocabulary = PieceVocabulary::parse(lines);
  return vocabulary.ok() ? "none" : vocabulary.error().message;
}

TEST(PieceVocabulary, NumbersTokensByTheirLines) {
  const auto vocabulary = PieceVocabulary::parse("x\n[SEP]\n[PAD]\n[CLS]\n[UNK]\n[MASK]\n##y");
  ASSERT_TRUE(vocabulary.ok()) << vocabulary.error().message;
  EXPECT_THAT(vocabulary->tokens(),
              ElementsAre("x", "[SEP]", "[PAD]", "[CLS]", "[UNK]", "[MASK]", "##y"));
  EXPECT_EQ(vocabulary->size(), 7);
  EXPECT_EQ(vocabulary->special(SpecialToken::padding), 2);
  EXPECT_EQ(vocabulary->special(SpecialToken::unknown), 4);
  EXPECT_EQ(vocabulary->special(SpecialToken::begin), 3);
  EXPECT_EQ(vocabulary->special(SpecialToken::end), 1);
  EXPECT_EQ(vocabulary->special(SpecialToken::mask), 5);
}

TEST(PieceVocabulary, WorksWithoutAMask) {
  const auto vocabulary = PieceVocabulary::parse("[PAD]\r\n[UNK]\r\n[CLS]\r\n[SEP]\r\n");
  ASSERT_TRUE(vocabulary.ok()) << vocabulary.error().message;
  EXPECT_EQ(vocabulary->special(SpecialToken::mask), 1);
}

TEST(PieceVocabulary, NamesTheLineThatIsWrong) {
  EXPECT_EQ(problem("[PAD]\na\nb\na\n"), "line 4: 'a' is on line 2 already; remove one of them");
  EXPECT_EQ(problem("[PAD]\na\n\nb\n"), "line 3: empty (expected one token per line)");
  EXPECT_EQ(problem("[PAD]\nb\xE9te\n"), "line 2: not UTF-8");
  EXPECT_EQ(problem("[PAD]\na\rb\n"), "line 2: contains a lone CR");
}

TEST(PieceVocabulary, NamesTheSpecialTokenThatIsMissing) {
  const std::string rest =
      " is missing; a WordPiece vocabulary has lines for [PAD], [UNK], [CLS] and [SEP], as in "
      "BERT's vocab.txt";
  EXPECT_EQ(problem(""), "[PAD]" + rest);
  EXPECT_EQ(problem("[PAD]\n[UNK]\n[SEP]\n"), "[CLS]" + rest);
  EXPECT_EQ(problem("[PAD]\n[UNK]\n[CLS]\n[sep]\n"), "[SEP]" + rest);
}

TEST(PieceVocabulary, RefusesATooLargeVocabulary) {
  EXPECT_EQ(problem(std::string(16 << 20, 'a')),
            "larger than the limit of 15.0 MiB for a vocabulary");
}

TEST(PieceVocabulary, ReadsWhatItSaved) {
  const ScratchFolder folder;
  const auto file = folder.path() / "vocab.txt";
  const auto vocabulary = PieceVocabulary::parse(kWhole);
  ASSERT_TRUE(vocabulary->save(file).ok());
  EXPECT_EQ(*read_file(file), kWhole);
  EXPECT_EQ(PieceVocabulary::read(file)->tokens(), vocabulary->tokens());
}

TEST(PieceVocabulary, NamesTheFileItCannotReadOrWrite) {
  const ScratchFolder folder;
  const auto file = folder.path() / "vocab.txt";
  EXPECT_EQ(PieceVocabulary::read(file).error().message,
            file.string() + ": No such file or directory");
  ASSERT_TRUE(write_file_atomically(file, "[PAD]\n[PAD]\n").ok());
  EXPECT_EQ(PieceVocabulary::read(file).error().message,
            file.string() + ": line 2: '[PAD]' is on line 1 already; remove one of them");
  EXPECT_FALSE(PieceVocabulary::parse(kWhole)->save(folder.path() / "none/vocab.txt").ok());
}

TEST(PieceVocabulary, SurvivesEveryMutation) {
  std::mt19937 random(1);
  for (int i = 0; i < 5000; ++i) {
    std::string lines(kWhole);
    for (auto left = random() % 3 + 1; left > 0; --left) {
      const std::size_t at = random() % lines.size();
      if (random() % 2 == 0) {
        lines[at] = static_cast<char>(random());
      } else {
        lines.insert(at, 1, "\n\r\xC3#["[random() % 5]);
      }
    }
    auto vocabulary = PieceVocabulary::parse(lines);
    if (!vocabulary.ok()) continue;
    const std::int64_t size = vocabulary->size();
    for (const std::int32_t token : WordPiece(*std::move(vocabulary)).tokens("Naïves [MASK] s")) {
      EXPECT_LT(token, size);
      EXPECT_GE(token, 0);
    }
  }
}

}  // namespace
}  // namespace tacho
