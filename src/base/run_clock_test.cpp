#include "base/run_clock.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tacho {
namespace {

TEST(RunClock, AdvancesWithTheMonotonicClockOnly) {
  const RunClock clock(1'000'000, 50);
  EXPECT_EQ(clock.at(50), 1'000'000);
  EXPECT_EQ(clock.at(52.5), 1'000'002.5);
  const double before = clock.at(monotonic_seconds_now());
  const double now = clock.now();
  EXPECT_LE(before, now);
  EXPECT_LE(now, clock.at(monotonic_seconds_now()));
}

TEST(RunClock, IsInheritedByAnotherProcessOfThisBoot) {
  const RunClock clock(1'700'000'000.25, 1234.5);
  const auto taken = RunClock::from_text(clock.text());
  ASSERT_TRUE(taken.has_value());
  EXPECT_NEAR(taken->at(1234.5), 1'700'000'000.25, 1e-6);
}

TEST(RunClock, IsNotInheritedFromAnotherBootOrDamagedText) {
  const std::string text = RunClock().text();
  EXPECT_FALSE(RunClock::from_text("00000000-0000-0000-0000-000000000000 5.0").has_value());
  EXPECT_FALSE(RunClock::from_text(" 5.0").has_value());
  EXPECT_FALSE(RunClock::from_text("").has_value());
  EXPECT_FALSE(RunClock::from_text(text + "x").has_value());
  EXPECT_FALSE(RunClock::from_text(text.substr(0, text.find(' ') + 1) + "nan").has_value());
}

TEST(RunClock, ComesFromTheEnvironment) {
  ::setenv(kRunClockVariable, RunClock(5000, monotonic_seconds_now()).text().c_str(), 1);
  const double now = RunClock::inherited().now();
  ::unsetenv(kRunClockVariable);
  EXPECT_GE(now, 5000 - 1e-6);
  EXPECT_LT(now, 1'000'000);
  EXPECT_GT(RunClock::inherited().now(), 1'000'000'000);
}

}  // namespace
}  // namespace tacho
