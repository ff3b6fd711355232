#include "training/text/piece_rule.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tacho {
namespace {

using testing::ElementsAre;

std::vector<std::string> pieces(std::string_view text, PieceRule rule) {
  std::vector<std::string> found;
  while (!text.empty()) {
    const std::size_t bytes = first_piece(text, rule);
    found.emplace_back(text.substr(0, bytes));
    text.remove_prefix(bytes);
  }
  return found;
}

// byte_pairs_test.cpp compares hundreds of texts with a reference.
TEST(PieceRule, KeepsASpaceWithTheWordAfterIt) {
  EXPECT_THAT(pieces("It's 12345  ok\n\n x", PieceRule::gpt2),
              ElementsAre("It", "'s", " 12345", " ", " ok", "\n\n", " x"));
  EXPECT_THAT(pieces("It'S 12345  ok.\n\n x", PieceRule::llama3),
              ElementsAre("It", "'S", " ", "123", "45", " ", " ok", ".\n\n", " x"));
}

TEST(PieceRule, AByteThatIsNotUtf8IsASymbol) {
  for (const PieceRule rule : {PieceRule::gpt2, PieceRule::llama3}) {
    EXPECT_THAT(pieces("a\xff\xfe"
                       "b",
                       rule),
                ElementsAre("a", "\xff\xfe", "b"));
  }
}

}  // namespace
}  // namespace tacho
