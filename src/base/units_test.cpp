#include "base/units.h"

#include <gtest/gtest.h>

namespace tacho {
namespace {

TEST(Units, BytesKeepThreeSignificantFigures) {
  EXPECT_EQ(human(Bytes{0}), "0 B");
  EXPECT_EQ(human(Bytes{1023}), "1023 B");
  EXPECT_EQ(human(Bytes{1536}), "1.50 KiB");
  EXPECT_EQ(human(Bytes{268435456}), "256 MiB");
}

TEST(Units, DurationsPickTheirUnit) {
  EXPECT_EQ(human(Seconds{0.0573}), "57.3 ms");
  EXPECT_EQ(human(Seconds{3.2e-6}), "3.20 µs");
  EXPECT_EQ(human(Seconds{72}), "1 min 12 s");
  EXPECT_EQ(human(Seconds{7265}), "2 h 01 min");
  EXPECT_EQ(human(Seconds{0}), "0.00 s");
  EXPECT_EQ(human(Seconds{0.9999e-3}), "1.00 ms");
  EXPECT_EQ(human(Seconds{0.99999}), "1.00 s");
  EXPECT_EQ(human(Seconds{9.999e-3}), "10.0 ms");
}

TEST(Units, CountsAreGroupedByThousands) {
  EXPECT_EQ(human_count(60000), "60,000");
  EXPECT_EQ(human_count(999), "999");
  EXPECT_EQ(human_count(-1234567), "-1,234,567");
  EXPECT_EQ(human_count(1.5), "1.50");
}

TEST(Units, ClockRoundsUp) {
  EXPECT_EQ(human_clock(Seconds{41.2}), "0:42");
  EXPECT_EQ(human_clock(Seconds{4025}), "1:07:05");
}

TEST(Units, TimesAreUtcToTheMillisecond) {
  using std::chrono::milliseconds;
  EXPECT_EQ(utc_text(std::chrono::system_clock::time_point(milliseconds(1'000))),
            "1970-01-01T00:00:01.000Z");
  const std::chrono::duration<double> imported(1700000000.123);
  EXPECT_EQ(utc_text(std::chrono::system_clock::time_point(
                std::chrono::duration_cast<std::chrono::system_clock::duration>(imported))),
            "2023-11-14T22:13:20.123Z");
}

}  // namespace
}  // namespace tacho
