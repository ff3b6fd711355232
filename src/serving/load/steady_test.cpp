#include "serving/load/steady.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::load {
namespace {

using testing::HasSubstr;

// One window per median, in milliseconds.
std::vector<Window> windows_of(const std::vector<double>& medians_ms) {
  std::vector<Window> windows;
  for (const double ms : medians_ms) {
    LatencyHistogram histogram;
    if (ms > 0) histogram.add(Nanoseconds(static_cast<std::int64_t>(ms * 1e6)));
    windows.push_back({.tally = {.ok = histogram.count()}, .latency = histogram.cells()});
  }
  return windows;
}

TEST(SteadyPart, WarmUpEndsWhenLatenciesMatchTheSecondHalf) {
  const auto part =
      find_steady_part(windows_of({90, 40, 12, 10, 11, 10, 9, 10, 11, 10, 10, 9, 10, 11, 10, 10}));
  EXPECT_EQ(part.first, 2U);
  EXPECT_TRUE(part.steady) << part.why_not;
}

TEST(SteadyPart, AStallInTheMiddleIsNotWarmUp) {
  const auto part =
      find_steady_part(windows_of({10, 10, 10, 10, 0, 900, 10, 10, 10, 10, 10, 10, 10, 10}));
  EXPECT_EQ(part.first, 0U);
  EXPECT_TRUE(part.steady) << part.why_not;
}

TEST(SteadyPart, AGrowingQueueIsNotSteady) {
  const auto part = find_steady_part(windows_of({1, 10, 20, 30, 40, 50, 60, 70, 80, 90}));
  EXPECT_EQ(part.first, 0U);
  EXPECT_FALSE(part.steady);
  EXPECT_THAT(part.why_not, HasSubstr("went from"));
}

TEST(SteadyPart, WarmUpIsAtMostHalfAndSilenceIsNotSteady) {
  const auto falls = find_steady_part(windows_of({90, 80, 70, 60, 50, 40, 30, 20, 10, 5}));
  EXPECT_LE(falls.first, 5U);
  EXPECT_FALSE(falls.steady);
  EXPECT_FALSE(find_steady_part(windows_of({10, 10, 10, 0, 0, 0, 0})).steady);
  EXPECT_EQ(find_steady_part(windows_of({10, 1})).first, 0U);
}

}  // namespace
}  // namespace tacho::load
