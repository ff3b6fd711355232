#include "microbench/memory/comms_survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "microbench/memory/comms_request.h"
#include "microbench/memory/survey_record.h"

namespace tacho::bandwidth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CollectiveTime timed(Collective collective, std::int64_t bytes, double seconds,
                     DistBackend backend = DistBackend::gloo) {
  return {.backend = backend,
          .collective = collective,
          .bytes = bytes,
          .time = {.seconds = seconds,
                   .fastest_seconds = seconds,
                   .slowest_seconds = seconds,
                   .samples = 1}};
}

// The table of nccl-tests' doc/PERFORMANCE.md.
TEST(BusBandwidth, FollowsTheDefinitionOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 2), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 4), 1.5);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_reduce, 8), 1.75);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_gather, 2), 0.5);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::all_gather, 8), 0.875);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::broadcast, 2), 1);
  EXPECT_DOUBLE_EQ(bus_factor(Collective::broadcast, 8), 1);
}

TEST(BusBandwidth, IsZeroForOneRank) {
  for (const Collective one :
       {Collective::all_reduce, Collective::broadcast, Collective::all_gather}) {
    EXPECT_EQ(bus_factor(one, 1), 0);
  }
}

TEST(BusBandwidth, IsComputedFromSizeTimeAndRanks) {
  const auto one = timed(Collective::all_reduce, 1'000'000'000, 0.5);
  EXPECT_DOUBLE_EQ(one.algorithm_bytes_per_s(), 2e9);
  EXPECT_DOUBLE_EQ(one.bus_bytes_per_s(4), 3e9);
}

TEST(CommsSurvey, ComparesEachBackendWithItsOwnLink) {
  const LinkRates lines{
      .copy_bytes_per_s = 8e9, .stream_bytes_per_s = 4e9, .ring_bytes_per_s = 2e9};
  EXPECT_EQ(line_of(lines, timed(Collective::all_reduce, 8, 1)), 2e9);
  EXPECT_EQ(line_of(lines, timed(Collective::all_gather, 8, 1)), 2e9);
  EXPECT_EQ(line_of(lines, timed(Collective::broadcast, 8, 1)), 4e9);
  EXPECT_EQ(line_of(lines, timed(Collective::broadcast, 8, 1, DistBackend::shm)), 8e9);
  EXPECT_EQ(line_of(lines, timed(Collective::broadcast, 8, 1, DistBackend::nccl)), 0);
}

TEST(CommsSurvey, LatencyIsThatOfTheSmallestAllReduce) {
  CommsSurvey survey;
  survey.collectives = {timed(Collective::all_reduce, 64, 3e-6),
                        timed(Collective::all_reduce, 8, 2e-6),
                        timed(Collective::broadcast, 8, 1e-6),
                        timed(Collective::all_reduce, 1 << 20, 1, DistBackend::shm)};
  EXPECT_EQ(latency_of(survey, DistBackend::gloo), 2e-6);
  EXPECT_EQ(latency_of(survey, DistBackend::shm), std::nullopt);
  EXPECT_EQ(latency_of(survey, DistBackend::nccl), std::nullopt);
}

TEST(GradientTime, HidesAtMostTheShorterOfWorkAndExchange) {
  GradientTime one{.exchange = {.seconds = 2}};
  EXPECT_EQ(one.hidden(), std::nullopt);
  one.work_seconds = 4;
  one.overlapped_seconds = 4;
  EXPECT_EQ(one.hidden(), 1);
  one.overlapped_seconds = 5;
  EXPECT_EQ(one.hidden(), 0.5);
  one.overlapped_seconds = 7;
  EXPECT_EQ(one.hidden(), -0.5);
}

TEST(RoundTimes, AreMedianAndExtremes) {
  EXPECT_EQ(round_times(std::vector<double>{3, 1, 2}), (RoundTimes{2, 1, 3, 3}));
}

TEST(CommsSurvey, SurvivesTheRoundTrip) {
  CommsSurvey survey{.key = "20261116-041500-abcdef",
                     .at = "2026-11-16T04:15:00.000Z",
                     .tacho_commit = "0123456789ab",
                     .machine = "Neoverse-N1",
                     .facts = "2 cores",
                     .ranks = 4,
                     .machines = 2,
                     .quick = true,
                     .complete = false,
                     .lines = {1e9, 2e9, 3e9, 1.25e9, "eth0"},
                     .absent = {"nccl: no GPU"}};
  survey.collectives = {timed(Collective::all_gather, 8, 1)};
  survey.gradients = {{.compress = Compression::bf16,
                       .payload_bytes = 100,
                       .bucket_bytes = 25,
                       .wire_bytes = 50,
                       .exchange = {1, 1, 1, 1},
                       .work_seconds = 2,
                       .overlapped_seconds = 2.5}};
  const auto read = survey_record_from_json(to_json(SurveyRecord(survey)));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(std::get<CommsSurvey>(*read), survey);
  EXPECT_THAT(backends_of(survey), ElementsAre(DistBackend::gloo));
}

TEST(CommsSurvey, RejectsInvalidRecords) {
  Json json = to_json(CommsSurvey{});
  json["schema"] = 2;
  EXPECT_EQ(comms_survey_from_json(json).error().code, ErrorCode::newer);
  json = to_json(CommsSurvey{});
  json["ranks"] = 0;
  EXPECT_THAT(comms_survey_from_json(json).error().message, HasSubstr("not a survey of comm"));
  CommsSurvey timeless;
  timeless.collectives = {timed(Collective::all_reduce, 8, 1)};
  json = to_json(timeless);
  json["collectives"][0]["seconds"] = 0;
  EXPECT_THAT(comms_survey_from_json(json).error().message, HasSubstr("collective 1"));
  json = to_json(CommsSurvey{});
  json["absent"] = Json::array({7});
  EXPECT_THAT(comms_survey_from_json(json).error().message,
              HasSubstr("'absent': contains something that is not a string"));
}

TEST(CommsRequest, SizesGrowEightfoldToTheLargest) {
  CommsRequest request{.largest = Bytes{5000}};
  EXPECT_THAT(sizes_of(request), ElementsAre(8, 64, 512, 4096, 5000));
  request.quick = true;
  EXPECT_THAT(sizes_of(request), ElementsAre(8, 2048, 5000));
  request.largest = Bytes{8};
  EXPECT_THAT(sizes_of(request), ElementsAre(8));
}

TEST(CommsRequest, SurvivesTheRoundTrip) {
  const CommsRequest request{.backend = DistBackend::shm,
                             .quick = true,
                             .largest = Bytes{1 << 20},
                             .with_gradients = false,
                             .timeout_s = 3,
                             .peak_bytes_per_s = 1.25e9};
  EXPECT_EQ(*comms_request_from_json(to_json(request)), request);
  EXPECT_FALSE(check(CommsRequest{.largest = Bytes{7}}).ok());
  EXPECT_FALSE(check(CommsRequest{.peak_bytes_per_s = 0}).ok());
}

TEST(CommsRequest, LimitsBuffersToTheMemory) {
  EXPECT_EQ(largest_within(Bytes{0}, 2).count, 256 << 20);
  EXPECT_EQ(largest_within(Bytes{std::int64_t{64} << 30}, 2).count, 256 << 20);
  EXPECT_EQ(largest_within(Bytes{std::int64_t{12} << 20}, 2).count, 1 << 20);
}

}  // namespace
}  // namespace tacho::bandwidth
