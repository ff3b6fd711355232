#include "serving/dashboard/series.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tacho::serve {
namespace {

using testing::ElementsAre;

TEST(Series, KeepsFewValuesUnchanged) {
  const Buckets buckets = bucketed(std::vector<double>{3, 1, 2}, 10);
  EXPECT_EQ(buckets.width, 1U);
  EXPECT_THAT(buckets.mean, ElementsAre(3, 1, 2));
  EXPECT_EQ(json_text(buckets_json(buckets)), R"({"mean":[3.0,1.0,2.0]})");
  EXPECT_TRUE(bucketed({}, 10).mean.empty());
}

TEST(Series, BucketsKeepPeaks) {
  const Buckets buckets = bucketed(std::vector<double>{1, 9, 2, 2, 5}, 2);
  EXPECT_EQ(buckets.width, 3U);
  EXPECT_THAT(buckets.low, ElementsAre(1, 2));
  EXPECT_THAT(buckets.mean, ElementsAre(4, 3.5));
  EXPECT_THAT(buckets.high, ElementsAre(9, 5));
}

TEST(Series, NanIsAGap) {
  const double nan = std::nan("");
  const Buckets buckets = bucketed(std::vector<double>{nan, 2, nan, nan}, 2);
  EXPECT_THAT(numbers_json(buckets.mean).dump(), "[2.0,null]");
  EXPECT_THAT(numbers_json(std::vector<double>{INFINITY}).dump(), "[null]");
}

TEST(Series, RatesCoverTheTimeBetweenTwoSamples) {
  std::vector<UsageSample> samples(3);
  for (int i = 0; i < 3; ++i) {
    samples[i].unix_seconds = 100 + i * 0.5;
    samples[i].user_s = i * 0.75;
    samples[i].system_s = i * 0.25;
    samples[i].read_bytes = i * 1000;
    samples[i].resident_bytes = 7;
  }
  samples[2].gpus = {{.index = 3, .name = "G", .busy = 0.5}};
  const UsageSeries series = usage_series(samples);
  EXPECT_THAT(series.unix_seconds, ElementsAre(100.5, 101));
  EXPECT_THAT(series.cores, ElementsAre(2, 2));
  EXPECT_THAT(series.read_bytes_per_s, ElementsAre(2000, 2000));
  EXPECT_TRUE(series.write_bytes_per_s.empty());
  const Json json = usage_series_json(series, 10);
  EXPECT_EQ(json["gpus"][0]["busy"]["mean"].dump(), "[null,0.5]");
  EXPECT_FALSE(json.contains("write_bytes_per_s"));
}

// The last two samples of a run are close together, with 120 ms of processor time between them that
// was counted late: 60 cores of two.
TEST(Series, IgnoresSamplesThatAreTooClose) {
  std::vector<UsageSample> samples(4);
  for (int i = 0; i < 4; ++i) samples[i].unix_seconds = 100 + i * 0.1;
  samples[2].unix_seconds = samples[1].unix_seconds + 0.002;
  for (int i = 0; i < 4; ++i) samples[i].user_s = i * 0.12;
  const UsageSeries series = usage_series(samples);
  EXPECT_THAT(series.unix_seconds, ElementsAre(100.1, 100.3));
  EXPECT_NEAR(series.cores[1], 1.2, 1e-6);
  samples[3].user_s = 5;
  EXPECT_THAT(usage_series(samples, 2).cores.back(), 2);
}

}  // namespace
}  // namespace tacho::serve
