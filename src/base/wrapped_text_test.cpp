#include "base/wrapped_text.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(WrappedText, BreaksAtBlanksAndIndentsTheNextLines) {
  EXPECT_EQ(wrapped("one two three", 80), "one two three\n");
  EXPECT_EQ(wrapped("one  two\nthree", 7), "one two\nthree\n");
  EXPECT_EQ(wrapped("one two three", 7, "  "), "one two\n  three\n");
  EXPECT_EQ(wrapped("a verylongword b", 4), "a\nverylongword\nb\n");
  EXPECT_EQ(wrapped("", 4), "\n");
}

TEST(WrappedText, HangsInTheColumnsAfterAHead) {
  EXPECT_EQ("- " + hanging("one two three", 2, 9), "- one two\n  three\n");
  EXPECT_EQ("- " + hanging("one two", 2, 2), "- one\n  two\n");
  EXPECT_EQ(hanging("", 2, 9), "\n");
}

}  // namespace
}  // namespace tacho
