#include "serving/load/slo_search.h"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace tacho::load {
namespace {

using namespace std::chrono_literals;

// Simulates a server of known capacity: the closer the rate is to it, the more requests are
// randomly late.
Measured at(double rate, double capacity, Random& random) {
  Measured measured;
  measured.seconds = Seconds(5);
  measured.offered_per_s = rate;
  const double late = 0.01 * std::pow(rate / capacity, 8);
  for (int window = 0; window < 20; ++window) {
    LatencyHistogram histogram;
    const int requests = std::max(1, static_cast<int>(rate / 4));
    for (int i = 0; i < requests; ++i) histogram.add(random.between(0, 1) < late ? 90ms : 10ms);
    measured.windows.push_back(
        {.tally = {.ok = static_cast<std::uint64_t>(requests)}, .latency = histogram.cells()});
    measured.tally += measured.windows.back().tally;
  }
  return measured;
}

TEST(SloSearch, FindsTheHighestRateFromAboveAndBelow) {
  const Slo slo = *parse_slo("p99=50ms");
  for (const double first : {20.0, 900.0, 20'000.0}) {
    Random random(9, 0);
    const RateTest test = [&](double rate) -> Result<Measured> { return at(rate, 1000, random); };
    const auto search = find_highest_rate(slo, {.first_rate = first, .lowest_rate = 40}, test, {});
    ASSERT_TRUE(search.ok());
    ASSERT_TRUE(search->best) << first;
    const double found = search->trials[*search->best].rate;
    EXPECT_GT(found, 700) << first;
    EXPECT_LT(found, 1050) << first;
    ASSERT_TRUE(search->fails_from);
    EXPECT_GT(*search->fails_from, found);
    EXPECT_LE(search->trials.size(), 24U);
  }
}

TEST(SloSearch, ReportsAnUnclearResult) {
  const Slo slo = *parse_slo("p99=50ms");
  Random random(4, 0);
  // At every rate above 100, half of the requests of one window are refused.
  const RateTest test = [&](double rate) -> Result<Measured> {
    Measured measured = at(rate, 1e9, random);
    if (rate < 100) return measured;
    measured.windows[7].tally.refused = static_cast<std::uint64_t>(rate / 4);
    return measured;
  };
  const auto search = find_highest_rate(slo, {.first_rate = 500}, test, {});
  ASSERT_TRUE(search.ok());
  EXPECT_TRUE(search->unclear);
  ASSERT_TRUE(search->best);
  EXPECT_LT(search->trials[*search->best].rate, 100);
}

TEST(SloSearch, HasNoBestRateIfAllFail) {
  const Slo slo = *parse_slo("p99=50ms");
  const RateTest test = [&](double rate) -> Result<Measured> {
    Random random(1, 0);
    Measured measured = at(rate, 1e9, random);
    for (Window& window : measured.windows) window.tally = {.broken = window.tally.ok * 50};
    return measured;
  };
  const auto search = find_highest_rate(slo, {.first_rate = 100}, test, {});
  ASSERT_TRUE(search.ok());
  EXPECT_FALSE(search->best);
  EXPECT_DOUBLE_EQ(*search->fails_from, 1);
}

TEST(SloSearch, ComputesTheLowestTestableRate) {
  using std::chrono::seconds;
  EXPECT_NEAR(lowest_testable_rate(*parse_slo("p99=50ms"), {}, seconds(5)), 33.3, 0.1);
  EXPECT_NEAR(lowest_testable_rate(*parse_slo("p999=50ms"), {}, seconds(50)), 33.3, 0.1);
}

TEST(SloSearch, AnErrorOrAnInterruptEndsTheSearch) {
  const Slo slo = *parse_slo("p99=50ms");
  const RateTest fails = [](double) -> Result<Measured> { return Error{ErrorCode::io, "gone"}; };
  EXPECT_FALSE(find_highest_rate(slo, {}, fails, {}).ok());
  Random random(1, 0);
  int tests = 0;
  const RateTest interrupted = [&](double rate) -> Result<Measured> {
    Measured measured = at(rate, 1e9, random);
    measured.interrupted = ++tests == 2;
    return measured;
  };
  const auto search = find_highest_rate(slo, {.first_rate = 2000}, interrupted, {});
  ASSERT_TRUE(search.ok());
  EXPECT_TRUE(search->interrupted);
  EXPECT_EQ(search->trials.size(), 2U);
  EXPECT_EQ(search->best, 0U);
}

}  // namespace
}  // namespace tacho::load
