#include "serving/infer/growing_text.h"

#include <gtest/gtest.h>

namespace tacho::infer {
namespace {

TEST(GrowingText, ReleasesWholeCharacters) {
  GrowingText text({});
  EXPECT_EQ(text.add("a\xE2"), "a");
  EXPECT_EQ(text.add("\x82"), "");
  EXPECT_EQ(text.add("\xAC"), "€");
  EXPECT_EQ(text.add("b\xF0\x9F"), "b");
  EXPECT_EQ(text.rest(), "\xF0\x9F");
  EXPECT_EQ(text.rest(), "");
}

TEST(GrowingText, EndsBeforeTheFirstStopString) {
  GrowingText text({"END", ". "});
  EXPECT_EQ(text.add("one E"), "one ");
  EXPECT_EQ(text.add("N"), "");
  EXPECT_EQ(text.add("TER."), "ENTER");
  EXPECT_FALSE(text.is_stopped());
  EXPECT_EQ(text.add(".EEN"), "..E");
  EXPECT_EQ(text.add("D. x"), "");
  EXPECT_TRUE(text.is_stopped());
  EXPECT_EQ(text.rest(), "");
}

TEST(GrowingText, ShowsWhatWasNoStopStringAfterAll) {
  GrowingText text({"\n\n", "aab"});
  EXPECT_EQ(text.add("xaa"), "x");
  EXPECT_EQ(text.add("a"), "a");
  EXPECT_EQ(text.add("\n"), "aa");
  EXPECT_EQ(text.rest(), "\n");
  GrowingText whole({"b"});
  EXPECT_EQ(whole.add("abc"), "a");
  EXPECT_TRUE(whole.is_stopped());
}

}  // namespace
}  // namespace tacho::infer
