#include "serving/load/slo.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation.h"

namespace tacho::load {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

Measured of_windows(const std::vector<std::pair<int, int>>& fast_and_slow) {
  Measured measured;
  for (const auto& [fast, slow] : fast_and_slow) {
    LatencyHistogram histogram;
    for (int i = 0; i < fast; ++i) histogram.add(10ms);
    for (int i = 0; i < slow; ++i) histogram.add(90ms);
    measured.windows.push_back(
        {.tally = {.ok = static_cast<std::uint64_t>(fast + slow)}, .latency = histogram.cells()});
  }
  return measured;
}

Judgement judged(const Measured& measured) {
  Judge judge(*parse_slo("p99=50ms"));
  judge.add(measured);
  return judge.judge();
}

TEST(Slo, IsParsedInAllCommonForms) {
  const auto slo = parse_slo("p99=50ms");
  ASSERT_TRUE(slo.ok()) << slo.error().message;
  EXPECT_DOUBLE_EQ(slo->share, 0.99);
  EXPECT_EQ(slo->limit, 50ms);
  EXPECT_DOUBLE_EQ(parse_slo("p999=1s")->share, 0.999);
  EXPECT_DOUBLE_EQ(parse_slo("p99.9=1s")->share, 0.999);
  EXPECT_DOUBLE_EQ(parse_slo("p50=2ms")->share, 0.5);
  for (const char* wrong : {"", "p99", "99=50ms", "p=1s", "p100=1s", "p5=1s", "p99=50", "p99=-1s",
                            "p99=0s", "pinf=1s", "pnan=1s", "p99=1s1"}) {
    EXPECT_FALSE(parse_slo(wrong).ok()) << wrong;
  }
  EXPECT_THAT(parse_slo("fast").error().message, HasSubstr("p99=50ms"));
  Random random(3, 0);
  for (int i = 0; i < 2000; ++i) (void)parse_slo(mutated("p99.9=50ms", random)).ok();
}

TEST(Judge, DecidesOnlyIfTheIntervalExcludesTheLimit) {
  const std::vector<std::pair<int, int>> fast(20, {100, 0});
  EXPECT_EQ(judged(of_windows(fast)).verdict, Verdict::kept);
  const std::vector<std::pair<int, int>> slow(20, {90, 10});
  EXPECT_EQ(judged(of_windows(slow)).verdict, Verdict::broken);
  const std::vector<std::pair<int, int>> border(20, {99, 1});
  EXPECT_EQ(judged(of_windows(border)).verdict, Verdict::unclear);
  // Too few requests to estimate a share of 1 %.
  EXPECT_EQ(judged(of_windows({{100, 0}, {100, 0}})).verdict, Verdict::unclear);
  EXPECT_EQ(judged(Measured{}).verdict, Verdict::unclear);
}

TEST(Judge, ABurstOfLateRequestsCountsLessThanScatteredOnes) {
  std::vector<std::pair<int, int>> scattered(20, {97, 3});
  std::vector<std::pair<int, int>> burst(20, {100, 0});
  burst[5] = {40, 60};
  EXPECT_EQ(judged(of_windows(scattered)).verdict, Verdict::broken);
  EXPECT_EQ(judged(of_windows(burst)).verdict, Verdict::unclear);
}

TEST(Judge, AFailureIsLate) {
  Measured measured = of_windows(std::vector<std::pair<int, int>>(20, {90, 0}));
  for (Window& window : measured.windows) window.tally.refused = 10;
  const Judgement judgement = judged(measured);
  EXPECT_EQ(judgement.verdict, Verdict::broken);
  EXPECT_DOUBLE_EQ(judgement.late_share, 0.1);
  EXPECT_EQ(judgement.requests, 2000U);
}

TEST(Judge, AGrowingQueueFailsTheObjective) {
  Measured measured = of_windows(std::vector<std::pair<int, int>>(20, {100, 0}));
  measured.offered_per_s = 500;
  measured.seconds = Seconds(5);
  measured.tally.ok = 2000;
  EXPECT_EQ(judged(measured).verdict, Verdict::broken);
}

}  // namespace
}  // namespace tacho::load
