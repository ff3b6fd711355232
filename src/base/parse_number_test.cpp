#include "base/parse_number.h"

#include <gtest/gtest.h>

#include <cstdint>

namespace tacho {
namespace {

TEST(ParseNumber, TakesTheWholeText) {
  EXPECT_EQ(parse_number<std::int64_t>("-41"), -41);
  EXPECT_EQ(parse_number<double>("1.5e3"), 1500);
  for (const char* text : {"", " 1", "1 ", "+1", "1x", "x"}) {
    EXPECT_EQ(parse_number<std::int64_t>(text), std::nullopt) << text;
    EXPECT_EQ(parse_number<double>(text), std::nullopt) << text;
  }
}

TEST(ParseNumber, RefusesWhatDoesNotFitTheType) {
  EXPECT_EQ(parse_number<std::uint16_t>("65535"), 65535);
  EXPECT_EQ(parse_number<std::uint16_t>("65536"), std::nullopt);
  EXPECT_EQ(parse_number<std::size_t>("-1"), std::nullopt);
}

}  // namespace
}  // namespace tacho
