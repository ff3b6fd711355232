#include "base/quantity.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(Quantity, ParsesDurations) {
  EXPECT_DOUBLE_EQ(parse_duration("90s")->count(), 90);
  EXPECT_DOUBLE_EQ(parse_duration("10m")->count(), 600);
  EXPECT_DOUBLE_EQ(parse_duration("1.5h")->count(), 5400);
  EXPECT_DOUBLE_EQ(parse_duration("1h30m")->count(), 5400);
  EXPECT_DOUBLE_EQ(parse_duration("500ms")->count(), 0.5);
}

TEST(Quantity, ParsesPercentages) {
  EXPECT_DOUBLE_EQ(*parse_percent("1%"), 0.01);
  EXPECT_DOUBLE_EQ(*parse_percent("0.5 %"), 0.005);
}

TEST(Quantity, RefusesAmbiguousAmounts) {
  for (const char* text :
       {"", "10", "m", "10 m", "-5s", "1e9s", "10mx", "nan s", "infs", "1h-3m"}) {
    EXPECT_FALSE(parse_duration(text).ok()) << text;
  }
  for (const char* text : {"", "1", "%", "-1%", "1%%", "nan%", "1 percent"}) {
    EXPECT_FALSE(parse_percent(text).ok()) << text;
  }
}

TEST(Quantity, SizesAreInPowersOf1024) {
  EXPECT_EQ(parse_bytes("512M")->count, 512 << 20);
  EXPECT_EQ(parse_bytes("1.5GiB")->count, 3LL << 29);
  EXPECT_EQ(parse_bytes("2KB")->count, 2048);
  EXPECT_EQ(parse_bytes("7B")->count, 7);
  for (const char* wrong : {"", "512", "M", "-1M", "1X", "1GG", "1 G", "1e9G", "999999999999T"}) {
    const auto size = parse_bytes(wrong);
    ASSERT_FALSE(size.ok()) << wrong;
    EXPECT_EQ(size.error().code, ErrorCode::usage);
  }
}

}  // namespace
}  // namespace tacho
