#include "training/text/utf8.h"

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

constexpr std::string_view kNotUtf8[] = {"\x80",
                                         "\xBF",
                                         "\xC2",
                                         "\xC2 ",
                                         "\xC0\xAF",
                                         "\xC1\xBF",
                                         "\xE0\x9F\xBF",
                                         "\xE2\x82",
                                         "\xE2\x82 ",
                                         "\xED\xA0\x80",
                                         "\xF0\x8F\xBF\xBF",
                                         "\xF0\x9F\x98",
                                         "\xF4\x90\x80\x80",
                                         "\xF5\x80\x80\x80",
                                         "\xFF",
                                         "\xFE"};

TEST(IsUtf8, RefusesTruncatedOverlongAndOutOfRangeForms) {
  for (const std::string_view text : kNotUtf8) {
    EXPECT_FALSE(is_utf8(text));
    EXPECT_FALSE(is_utf8("a" + std::string(text)));
  }
}

TEST(FirstCharacter, ReadsWhatAppendUtf8Wrote) {
  for (char32_t code_point = 0; code_point <= 0x10FFFF; ++code_point) {
    if (code_point == 0xD800) code_point = 0xE000;
    std::string text;
    append_utf8(text, code_point);
    const std::size_t bytes = text.size();
    const Utf8Character first = first_character(text + "\x80");
    ASSERT_EQ(first.code_point, code_point);
    ASSERT_EQ(first.bytes, bytes);
  }
}

TEST(FirstCharacter, ConsumesOneInvalidByte) {
  for (const std::string_view text : kNotUtf8) {
    EXPECT_EQ(first_character(text).code_point, kReplacementCharacter);
    EXPECT_EQ(first_character(text).bytes, 1U);
  }
}

}  // namespace
}  // namespace tacho
