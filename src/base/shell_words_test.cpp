#include "base/shell_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ShellWords, AreSplitAsByAShell) {
  EXPECT_THAT(*split_words("python3  a.py\t--name 'two words' x\n"),
              ElementsAre("python3", "a.py", "--name", "two words", "x"));
  EXPECT_THAT(*split_words(R"(a"b 'c"'d "e'f\ g "" '' \"h)"),
              ElementsAre(R"(ab 'cd "ef g)", "", "", "\"h"));
  EXPECT_THAT(*split_words(R"("\"\\\$\n" '\n')"), ElementsAre(R"("\$\n)", R"(\n)"));
  EXPECT_THAT(*split_words("echo $HOME *.py | wc > x"),
              ElementsAre("echo", "$HOME", "*.py", "|", "wc", ">", "x"));
  EXPECT_TRUE(split_words("")->empty());
  EXPECT_TRUE(split_words(" \t\n")->empty());
}

TEST(ShellWords, ReportsAnUnclosedQuote) {
  EXPECT_THAT(split_words("python3 'a.py").error().message,
              HasSubstr("the ' at position 9 is never closed"));
  EXPECT_THAT(split_words("a \"b c").error().message, HasSubstr("the \" at position 3 is never"));
  EXPECT_THAT(split_words("a \\").error().message, HasSubstr("ends with a backslash"));
}

TEST(ShellWords, RoundTripAnyContent) {
  Random random = Random::scattered(1);
  const std::string_view characters = "ab '\"\\$`\n\t*;|é=";
  for (int round = 0; round < 2000; ++round) {
    std::vector<std::string> words(static_cast<std::size_t>(random.below(5)));
    for (std::string& word : words) {
      const auto length = random.below(6);
      for (std::int64_t i = 0; i < length; ++i) {
        word += characters[static_cast<std::size_t>(
            random.below(static_cast<std::int64_t>(characters.size())))];
      }
    }
    const auto again = split_words(shell_quoted(words));
    ASSERT_TRUE(again.ok()) << again.error().message;
    EXPECT_EQ(*again, words);
  }
}

}  // namespace
}  // namespace tacho
