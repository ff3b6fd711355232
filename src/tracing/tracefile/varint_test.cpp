#include "tracing/tracefile/varint.h"

#include <gtest/gtest.h>

#include "tracing/tracefile/gpu_trace_format.h"

namespace tacho {
namespace {

TEST(Varint, UsesAsFewBytesAsPossible) {
  const std::pair<std::uint64_t, std::size_t> sizes[] = {
      {0, 1}, {127, 1}, {128, 2}, {16'383, 2}, {16'384, 3}, {UINT64_MAX, 10}};
  for (const auto& [value, size] : sizes) {
    std::string bytes;
    append_varint(bytes, value);
    EXPECT_EQ(bytes.size(), size) << value;
    VarintReader in(bytes);
    EXPECT_EQ(in.number(), value);
    EXPECT_TRUE(in.at_end());
    EXPECT_FALSE(in.failed());
  }
}

TEST(Varint, KeepsTheSign) {
  for (const std::int64_t value :
       {INT64_MIN, std::int64_t{-1}, std::int64_t{0}, std::int64_t{1}, INT64_MAX}) {
    EXPECT_EQ(unzigzag(zigzag(value)), value);
  }
  EXPECT_EQ(zigzag(-1), 1U);
  EXPECT_EQ(zigzag(1), 2U);
}

TEST(Varint, FailsIfLongerThan64Bits) {
  VarintReader eleven(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11));
  EXPECT_EQ(eleven.number(), 0U);
  EXPECT_TRUE(eleven.failed());
  VarintReader too_large(std::string_view("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10));
  EXPECT_EQ(too_large.number(), 0U);
  EXPECT_TRUE(too_large.failed());
}

TEST(Varint, FailsIfTruncated) {
  VarintReader in(std::string_view("\x80", 1));
  EXPECT_EQ(in.number(), 0U);
  EXPECT_TRUE(in.failed());
  EXPECT_EQ(in.byte(), 0);
}

TEST(Varint, FailsIfTextIsLongerThanTheRest) {
  VarintReader in(std::string_view("\x05hell", 5));
  EXPECT_EQ(in.text(), "");
  EXPECT_TRUE(in.failed());
}

TEST(Varint, FailsIfA32BitNumberIsTooLarge) {
  std::string bytes;
  append_varint(bytes, std::uint64_t{1} << 32);
  VarintReader in(bytes);
  EXPECT_EQ(in.number32(), 0U);
  EXPECT_TRUE(in.failed());
}

TEST(TraceCrc32, MatchesKnownValues) {
  EXPECT_EQ(trace_crc32("123456789"), 0xCBF43926U);
  EXPECT_EQ(trace_crc32(""), 0U);
  EXPECT_EQ(trace_crc32("The quick brown fox jumps over the lazy dog"), 0x414FA339U);
}

}  // namespace
}  // namespace tacho
