// Compares with texts and tokens from tests/reference/wordpiece_reference.py, which implements
// BERT's rules in Python with Python's Unicode tables.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "base/json_object.h"
#include "training/text/word_piece.h"

namespace tacho {
namespace {

std::string bytes_of(const std::string& hexadecimal) {
  std::string bytes;
  for (std::size_t at = 0; at < hexadecimal.size(); at += 2) {
    bytes.push_back(static_cast<char>(std::stoi(hexadecimal.substr(at, 2), nullptr, 16)));
  }
  return bytes;
}

TEST(WordPiece, AgreesWithTheReferenceOnEveryText) {
  const auto content = read_file(TACHO_TEXT_REFERENCE);
  ASSERT_TRUE(content.ok()) << content.error().message;
  const auto reference = parse_json(*content);
  ASSERT_TRUE(reference.ok()) << reference.error().message;
  const auto tokens = (*reference)["vocabulary"].get<std::vector<std::string>>();
  auto vocabulary = PieceVocabulary::parse(fmt::format("{}\n", fmt::join(tokens, "\n")));
  ASSERT_TRUE(vocabulary.ok()) << vocabulary.error().message;
  const WordPiece word_piece(*std::move(vocabulary));

  const Json& cases = (*reference)["cases"];
  EXPECT_GT(cases.size(), 300U);
  for (const Json& one : cases) {
    const auto hexadecimal = one["hex"].get<std::string>();
    EXPECT_EQ(word_piece.tokens(bytes_of(hexadecimal), one.value("most", 1 << 20)),
              one["tokens"].get<std::vector<std::int32_t>>())
        << hexadecimal;
  }
}

}  // namespace
}  // namespace tacho
