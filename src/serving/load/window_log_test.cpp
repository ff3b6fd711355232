#include "serving/load/window_log.h"

#include <gtest/gtest.h>

namespace tacho::load {
namespace {

using namespace std::chrono_literals;

Window one_answer(Nanoseconds time) {
  LatencyHistogram histogram;
  histogram.add(time);
  return {.tally = {.ok = 1}, .latency = histogram.cells(), .service = histogram.cells()};
}

TEST(WindowLog, MergesWindowsWithoutLosingRequests) {
  WindowLog log;
  for (std::size_t i = 0; i < 3000; ++i) log.add(i, one_answer(Nanoseconds(1000 * i)));
  const auto copy = log.copy();
  EXPECT_LE(copy.windows.size(), WindowLog::kMaxWindows);
  EXPECT_EQ(copy.length, 16 * WindowLog::kShortest);
  LatencyHistogram all;
  Tally tally;
  for (const Window& window : copy.windows) {
    all.merge(window.latency);
    tally += window.tally;
  }
  EXPECT_EQ(all.count(), 3000U);
  EXPECT_EQ(tally.ok, 3000U);
  // The order is kept: each window contains 16 neighbours.
  LatencyHistogram third;
  third.merge(copy.windows[2].latency);
  EXPECT_NEAR(static_cast<double>(third.quantile(1).count()), 47'000, 64);
}

TEST(WindowLog, ThreadsAddToTheSameWindow) {
  WindowLog log;
  log.add(1, one_answer(1ms));
  log.add(0, one_answer(2ms));
  log.add(1, one_answer(3ms));
  log.add_after(one_answer(4ms));
  log.note_first_failure("400: what");
  log.note_first_failure("500: later");
  const auto copy = log.copy();
  ASSERT_EQ(copy.windows.size(), 2U);
  EXPECT_EQ(copy.windows[0].tally.ok, 1U);
  EXPECT_EQ(copy.windows[1].tally.ok, 2U);
  EXPECT_EQ(copy.after.tally.ok, 1U);
  EXPECT_EQ(copy.first_failure, "400: what");
}

}  // namespace
}  // namespace tacho::load
