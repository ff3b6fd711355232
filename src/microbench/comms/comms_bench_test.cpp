// Two real ranks without torch: shared memory is measured, all else is reported as absent.
#include "microbench/comms/comms_bench.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/comm/test_ranks.h"
#include "microbench/comms/gradient_bench.h"

namespace tacho {
namespace {

using bandwidth::Collective;
using bandwidth::CommsSurvey;
using testing::ElementsAre;
using testing::HasSubstr;

std::string result_of_rank(const TestPort& port, int rank, const bandwidth::CommsRequest& request,
                           bool stopped) {
  const std::atomic<bool> stop = stopped;
  const Rendezvous::Options who = rank_at(port, rank, 2);
  auto rendezvous = Rendezvous::meet(who, {});
  if (!rendezvous.ok()) return rendezvous.error().message;
  CommsBenchOptions options{.place = who.place,
                            .request = request,
                            .torch = {.gloo = {}, .no_gloo = "not in this test", .gradient = {}},
                            .stop = stop,
                            .on_progress = [](auto&) {}};
  options.place.local_rank = rank;
  options.place.local_size = 2;
  const auto survey = measure_comms(options, **rendezvous);
  (*rendezvous)->leave(survey.ok() ? "" : survey.error().message);
  return survey.ok() ? json_text(to_json(*survey)) : survey.error().message;
}

std::string result_of_rank_0(const bandwidth::CommsRequest& request, bool stopped = false) {
  const TestPort port;
  const RankProcess other([&] { return result_of_rank(port, 1, request, false); });
  const RankProcess first([&] { return result_of_rank(port, 0, request, stopped); });
  return first.report();
}

constexpr bandwidth::CommsRequest kSmall{
    .backend = DistBackend::shm, .quick = true, .largest = Bytes{1 << 12}, .with_gradients = false};

TEST(CommsBench, MeasuresEveryCollectiveAtEverySize) {
  const auto json = parse_json(result_of_rank_0(kSmall));
  ASSERT_TRUE(json.ok());
  const auto survey = bandwidth::comms_survey_from_json(*json);
  ASSERT_TRUE(survey.ok()) << survey.error().message;
  EXPECT_EQ(survey->ranks, 2);
  EXPECT_EQ(survey->machines, 1);
  EXPECT_TRUE(survey->complete);
  ASSERT_EQ(survey->collectives.size(), 9);
  for (const auto& one : survey->collectives) {
    EXPECT_GE(one.time.seconds, one.time.fastest_seconds);
    EXPECT_LE(one.time.seconds, one.time.slowest_seconds);
    EXPECT_GE(one.time.samples, 3);
  }
  EXPECT_EQ(survey->collectives[8].collective, Collective::all_gather);
  EXPECT_EQ(survey->collectives[8].bytes, 1 << 12);
  EXPECT_GT(survey->lines.copy_bytes_per_s, 1e8);
  EXPECT_GT(survey->lines.stream_bytes_per_s, 1e7);
  EXPECT_GT(survey->lines.ring_bytes_per_s, 1e7);
}

TEST(CommsBench, ReturnsAnIncompleteSurveyWhenStopped) {
  const auto survey =
      bandwidth::comms_survey_from_json(*parse_json(result_of_rank_0(kSmall, true)));
  ASSERT_TRUE(survey.ok()) << survey.error().message;
  EXPECT_FALSE(survey->complete);
  EXPECT_TRUE(survey->collectives.empty());
}

TEST(CommsBench, MeasuresTheOtherBackendsWithoutGloo) {
  auto request = kSmall;
  request.backend = DistBackend::automatic;
  const auto survey = bandwidth::comms_survey_from_json(*parse_json(result_of_rank_0(request)));
  ASSERT_TRUE(survey.ok()) << survey.error().message;
  EXPECT_GE(survey->collectives.size(), 9);
  ASSERT_FALSE(survey->absent.empty());
  EXPECT_EQ(survey->absent[0], "gloo: not in this test");
}

TEST(CommsBench, SaysWhyNcclIsUnavailable) {
  auto request = kSmall;
  request.backend = DistBackend::nccl;
  const std::string result = result_of_rank_0(request);
  if (result.starts_with("{")) GTEST_SKIP() << "two GPUs here";
  EXPECT_THAT(result, testing::StartsWith("nccl: "));
}

TEST(GradientBytes, AreFewerOnASlowLink) {
  CommsSurvey survey;
  const auto add = [&](double bytes_per_s) {
    survey.collectives = {
        {.bytes = static_cast<std::int64_t>(bytes_per_s), .time = {.seconds = 1}}};
  };
  add(1e9);
  EXPECT_EQ(gradient_bytes(survey, DistBackend::gloo, false), 100'000'000);
  add(12e6);
  EXPECT_EQ(gradient_bytes(survey, DistBackend::gloo, false), 24'000'000);
  EXPECT_EQ(gradient_bytes(survey, DistBackend::gloo, true), 2'400'000);
  EXPECT_EQ(gradient_bytes(survey, DistBackend::shm, false), 1 << 20);
}

}  // namespace
}  // namespace tacho
