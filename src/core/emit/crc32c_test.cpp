#include "core/emit/crc32c.h"

#include <gtest/gtest.h>

#include <string>

namespace tacho {
namespace {

// The check value of the CRC catalog, and two of the examples of RFC 3720, B.4.
TEST(Crc32c, MatchesPublishedValues) {
  EXPECT_EQ(crc32c("123456789"), 0xE3069283U);
  EXPECT_EQ(crc32c(std::string(32, '\0')), 0x8A9136AAU);
  EXPECT_EQ(crc32c(std::string(32, '\xFF')), 0x62A8AB43U);
  EXPECT_EQ(crc32c(""), 0U);
  EXPECT_EQ(crc32("123456789"), 0xCBF43926U);
}

}  // namespace
}  // namespace tacho
