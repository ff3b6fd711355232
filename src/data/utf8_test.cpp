#include "data/utf8.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(IsUtf8, AcceptsTheFirstAndLastCharacterOfEveryLength) {
  for (const std::string_view text :
       {"", "a", "\x7F", "\xC2\x80", "\xDF\xBF", "\xE0\xA0\x80", "\xED\x9F\xBF", "\xEE\x80\x80",
        "\xEF\xBF\xBF", "\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF", "na\xC3\xAFve caf\xC3\xA9"}) {
    EXPECT_TRUE(is_utf8(text)) << text;
  }
}

TEST(IsUtf8, RefusesWhatIsCutOverlongOrOutOfRange) {
  for (const std::string_view text :
       {"\x80", "\xBF", "\xC2", "\xC2 ", "\xC0\xAF", "\xC1\xBF", "\xE0\x9F\xBF", "\xE2\x82",
        "\xE2\x82 ", "\xED\xA0\x80", "\xF0\x8F\xBF\xBF", "\xF0\x9F\x98", "\xF4\x90\x80\x80",
        "\xF5\x80\x80\x80", "\xFF", "a\xFE"}) {
    EXPECT_FALSE(is_utf8(text));
  }
}

}  // namespace
}  // namespace tacho
