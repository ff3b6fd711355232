#include "training/data/fetch/table_text.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(CleanWords, ReturnsOneLineOfUtf8) {
  EXPECT_EQ(clean_words("caf\xC3\xA9"), "caf\xC3\xA9");
  EXPECT_EQ(clean_words("caf\xE9"), "caf?");
  EXPECT_EQ(clean_words("a\tb\nc\x1B[31m"), "a b?c?[31m");
}

TEST(ParseCount, AcceptsOnlyAWholeNumber) {
  EXPECT_EQ(*parse_count("0"), 0);
  EXPECT_EQ(*parse_count("1281167"), 1281167);
  for (const char* text : {"", "-1", "+1", " 1", "1 ", "1.0", "0x1", "99999999999999999999"}) {
    EXPECT_FALSE(parse_count(text).ok()) << text;
  }
}

TEST(ReleaseNames, AreRecognized) {
  EXPECT_TRUE(is_wordnet_id("n01440764"));
  for (const char* text : {"", "n0144076", "n014407640", "x01440764", "n0144076a", "n../../.."}) {
    EXPECT_FALSE(is_wordnet_id(text)) << text;
  }
  EXPECT_TRUE(is_numbered("val_0.JPEG", "val_", ".JPEG"));
  for (const char* text : {"val_.JPEG", "val_0.jpeg", "val_0x.JPEG", "/val_0.JPEG", "val_JPEG",
                           "val_1234567890123.JPEG", "val_-1.JPEG"}) {
    EXPECT_FALSE(is_numbered(text, "val_", ".JPEG")) << text;
  }
}

}  // namespace
}  // namespace tacho
