#include "serving/load/latency_histogram.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.h"

namespace tacho::load {
namespace {

using namespace std::chrono_literals;

TEST(LatencyHistogram, IsAccurateToFiveHundredthsOfAPercent) {
  for (double ns = 1; ns < 4e12; ns *= 1.0371) {
    const Nanoseconds time(static_cast<std::int64_t>(ns));
    const auto read = LatencyHistogram::middle_of(LatencyHistogram::bucket_of(time));
    const auto off = static_cast<double>(std::abs((read - time).count()));
    ASSERT_LE(off, std::max(32.0, 0.0005 * ns)) << ns;
  }
}

TEST(LatencyHistogram, BucketsHaveNoGaps) {
  std::size_t last = 0;
  for (std::int64_t ns = 0; ns < 2'000'000; ns += 16) {
    const std::size_t bucket = LatencyHistogram::bucket_of(Nanoseconds(ns));
    ASSERT_LE(bucket, last + 1);
    ASSERT_GE(bucket, last);
    last = bucket;
  }
}

TEST(LatencyHistogram, QuantilesMatchTheSortedTimes) {
  Random random(1, 0);
  LatencyHistogram histogram;
  std::vector<double> times;
  for (int i = 0; i < 10'000; ++i) {
    times.push_back(-1e6 * std::log(1 - random.between(0, 1)));  // 1 ms on average
    histogram.add(Nanoseconds(static_cast<std::int64_t>(times.back())));
  }
  std::ranges::sort(times);
  for (const double q : {0.5, 0.9, 0.99, 0.999, 1.0}) {
    const double exact = times[static_cast<std::size_t>(std::ceil(q * 10'000)) - 1];
    EXPECT_NEAR(static_cast<double>(histogram.quantile(q).count()), exact, 0.001 * exact) << q;
  }
  EXPECT_EQ(histogram.count(), 10'000U);
}

TEST(LatencyHistogram, MergedPartsEqualTheWhole) {
  LatencyHistogram first;
  LatencyHistogram second;
  LatencyHistogram whole;
  for (int i = 1; i <= 300; ++i) {
    (i % 3 == 0 ? first : second).add(i * 100us);
    whole.add(i * 100us);
  }
  EXPECT_EQ(merged(first.cells(), second.cells()), whole.cells());
  second.merge(first.cells());
  EXPECT_EQ(second.cells(), whole.cells());
  EXPECT_EQ(whole.count_above(20ms), 100U);
  EXPECT_NEAR(std::chrono::duration<double>(whole.mean()).count(), 0.01505, 1e-5);
  whole.clear();
  EXPECT_EQ(whole.count(), 0U);
  EXPECT_TRUE(whole.cells().empty());
  EXPECT_EQ(whole.quantile(0.5), 0ns);
}

TEST(LatencyHistogram, ClampsTimesOutOfRange) {
  LatencyHistogram histogram;
  histogram.add(-5s);
  histogram.add(48h);
  EXPECT_LT(histogram.quantile(0.5), 1us);
  EXPECT_GT(histogram.quantile(1), 1h);
}

}  // namespace
}  // namespace tacho::load
