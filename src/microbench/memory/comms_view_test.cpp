#include "microbench/memory/comms_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using bandwidth::Collective;
using bandwidth::CommsSurvey;
using bandwidth::RoundTimes;
using testing::HasSubstr;
using testing::Not;

CommsSurvey four_ranks() {
  CommsSurvey survey{.key = "20261116-041500-abcdef",
                     .machine = "Neoverse\x1b[31m",
                     .facts = "2 cores",
                     .ranks = 4,
                     .lines = {.copy_bytes_per_s = 8e9,
                               .stream_bytes_per_s = 4e9,
                               .ring_bytes_per_s = 2e9,
                               .peak_source = ""},
                     .absent = {"nccl: no GPU"}};
  survey.collectives = {{.collective = Collective::all_reduce,
                         .bytes = 8,
                         .time = RoundTimes{20e-6, 19e-6, 21e-6, 9}},
                        {.collective = Collective::all_reduce,
                         .bytes = 1'000'000'000,
                         .time = RoundTimes{1, 0.9, 1.1, 9}}};
  return survey;
}

TEST(CommsView, ShowsBusBandwidthAndItsShareOfTheLine) {
  const std::string text = survey_text(four_ranks(), Terminal(-1));
  // 1 GB/s with four ranks: each link carries 1.5 of its 2 GB/s.
  EXPECT_THAT(text, testing::ContainsRegex("954 MiB +1.00 s +±10 % +1.00 +1.50 +75 %"));
  EXPECT_THAT(text, HasSubstr("a small all-reduce takes 20.0 µs"));
  EXPECT_THAT(text, HasSubstr("nccl: no GPU"));
  EXPECT_THAT(text, Not(HasSubstr("of peak")));
  EXPECT_THAT(text, Not(HasSubstr("\x1b[31m")));
}

TEST(CommsView, ShowsTheShareOfAKnownPeak) {
  CommsSurvey survey = four_ranks();
  survey.lines.peak_bytes_per_s = 3e9;
  survey.lines.peak_source = "eth0";
  const std::string text = survey_text(survey, Terminal(-1));
  EXPECT_THAT(text, testing::ContainsRegex("1.50 +75 % +50 %"));
  EXPECT_THAT(text, HasSubstr("3.00 GB/s, from eth0"));
}

TEST(CommsView, ShowsTheHiddenShareOfAGradientExchange) {
  CommsSurvey survey = four_ranks();
  survey.gradients = {{.payload_bytes = 100 << 20,
                       .bucket_bytes = 25 << 20,
                       .wire_bytes = 150 << 20,
                       .exchange = RoundTimes{0.5, 0.5, 0.5, 3},
                       .work_seconds = 0.5,
                       .overlapped_seconds = 0.6}};
  const std::string text = survey_text(survey, Terminal(-1));
  EXPECT_THAT(text, testing::ContainsRegex("gloo +25.0 MiB +none +150 MiB"));
  EXPECT_THAT(text, HasSubstr("80 %"));
}

TEST(CommsView, ListsTheBestAllReducePerBackend) {
  EXPECT_THAT(surveys_table(std::vector{four_ranks()}, Terminal(-1)),
              testing::ContainsRegex("abcdef +4 +1 +gloo +1.50"));
}

TEST(CommsView, MarksImpossibleSharesAsNotMeasurable) {
  CommsSurvey survey = four_ranks();
  survey.collectives[1].time = RoundTimes{0.284, 0.01, 192, 9};  // 264 % of the line, ±33803 %
  survey.gradients = {{.payload_bytes = 100 << 20,
                       .bucket_bytes = 25 << 20,
                       .wire_bytes = 150 << 20,
                       .exchange = RoundTimes{0.5, 0.5, 0.5, 3},
                       .work_seconds = 0.5,
                       .overlapped_seconds = 0.105}};  // 179 % hidden
  const std::string text = survey_text(survey, Terminal(-1));
  EXPECT_THAT(text, testing::ContainsRegex("954 MiB +284 ms +n/a +3.52 +5.28 +n/a"));
  EXPECT_THAT(text, Not(HasSubstr("179 %")));
  EXPECT_THAT(text, HasSubstr("not measurable: the machine was busy"));
  EXPECT_THAT(survey_text(four_ranks(), Terminal(-1)), Not(HasSubstr("n/a")));
}

}  // namespace
}  // namespace tacho
