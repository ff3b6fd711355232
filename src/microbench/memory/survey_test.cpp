#include "microbench/memory/survey.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho::bandwidth {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Returns a measurement of one second.
Measurement measured(const char* form, std::int64_t necessary, std::int64_t moved) {
  return {.form = form,
          .level = "memory",
          .element = "f32",
          .threads = 2,
          .necessary_bytes = necessary,
          .moved_bytes = moved,
          .seconds = 1,
          .waste = "lines for parts"};
}

TEST(Survey, TheRateCountsNecessaryBytes) {
  Measurement m = measured("naive", 3'000'000'000, 12'000'000'000);
  m.seconds = 0.5;
  EXPECT_DOUBLE_EQ(m.bytes_per_s(), 6e9);
  EXPECT_DOUBLE_EQ(m.excess(), 4);
}

TEST(Survey, TheFastestIsTheCeilingUnlessOneIsMarked) {
  Survey survey;
  survey.measurements = {measured("slow", 100, 100), measured("fast", 200, 200)};
  EXPECT_EQ(ceiling_at(survey, "memory")->form, "fast");
  survey.measurements[0].is_ceiling = true;
  EXPECT_EQ(ceiling_at(survey, "memory")->form, "slow");
  EXPECT_EQ(ceiling_at(survey, "L1"), nullptr);
}

TEST(Loss, IsTheProductOfBytesAndRest) {
  const Measurement best = measured("best", 800, 800);
  Measurement naive = measured("naive", 100, 400);
  naive.limit = "latency";
  const Loss loss = loss_of(naive, best);
  EXPECT_DOUBLE_EQ(loss.factor, 8);
  EXPECT_DOUBLE_EQ(loss.by_bytes, 4);
  EXPECT_DOUBLE_EQ(loss.rest, 2);
  EXPECT_EQ(loss.words, "8.00× slower; 4.00× the bytes: lines for parts; 2.00× latency");
}

TEST(Loss, NamesTheUnexplainedAndTheSavedPart) {
  const Measurement best = measured("best", 800, 800);
  EXPECT_EQ(loss_of(measured("x", 400, 400), best).words, "2.00× slower; 2.00× unexplained");
  EXPECT_THAT(loss_of(measured("x", 400, 1600), best).words, HasSubstr("2.00× of that saved"));
  EXPECT_EQ(loss_of(measured("x", 790, 790), best).words, "");
  Measurement alone = measured("x", 400, 400);
  alone.threads = 1;
  EXPECT_EQ(loss_of(alone, best).words, "2.00× slower; 2.00× 1 of 2 threads");
}

TEST(Loss, UsesNecessaryBytesEvenIfTheCeilingMovesMore) {
  const Measurement best = measured("best", 800, 1200);  // by design, though the core saved it
  const Loss loss = loss_of(measured("x", 400, 400), best);
  EXPECT_DOUBLE_EQ(loss.by_bytes, 1);
  EXPECT_DOUBLE_EQ(loss.rest, 2);
}

TEST(Survey, SurvivesTheRoundTrip) {
  Survey survey{.key = "20261116-041500-abcdef",
                .at = "2026-11-16T04:15:00.000Z",
                .tacho_commit = "0123456789ab",
                .device = "cpu",
                .machine = "Neoverse-N1",
                .facts = "L1 64 KiB",
                .quick = true,
                .theoretical_bytes_per_s = 2e11};
  survey.measurements = {measured("a", 100, 150), measured("b", 50, 400)};
  survey.measurements[0].is_ceiling = true;
  survey.measurements[1].counts = {{"cycles", 12.5}, {"llc_misses", 3}};
  survey.uncounted = "no memory controller that counts";
  const auto read = survey_from_json(to_json(survey));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(*read, survey);
  EXPECT_THAT(levels_of(*read), ElementsAre("memory"));
}

TEST(Survey, CountedSharesAreRelativeToNecessaryBytes) {
  Measurement m = measured("x", 6400, 6400);
  EXPECT_FALSE(missed_share(m).has_value());
  EXPECT_FALSE(instructions_per_cycle(m).has_value());
  m.counts = {{"llc_misses", 150}, {"instructions", 30}, {"cycles", 20}, {"memory_read_bytes", 64}};
  EXPECT_DOUBLE_EQ(missed_share(m).value(), 1.5);
  EXPECT_DOUBLE_EQ(instructions_per_cycle(m).value(), 1.5);
  EXPECT_FALSE(memory_share(m).has_value());  // needs reads and writes
  m.counts["memory_write_bytes"] = 6336;
  EXPECT_DOUBLE_EQ(memory_share(m).value(), 1);
}

TEST(Survey, RejectsInvalidRecords) {
  Json json = to_json(Survey{});
  json["schema"] = 3;
  EXPECT_EQ(survey_from_json(json).error().code, ErrorCode::newer);
  json["schema"] = 1;
  json["kind"] = "comms";
  EXPECT_THAT(survey_from_json(json).error().message, HasSubstr("not a survey of memory"));
  Survey timeless;
  timeless.measurements = {measured("a", 100, 100)};
  Json without = to_json(timeless);
  without["measurements"][0]["seconds"] = 0;
  EXPECT_THAT(survey_from_json(without).error().message, HasSubstr("measurement 1"));
  Json counted = to_json(timeless);
  counted["measurements"][0]["counts"] = {{"cycles", "many"}};
  EXPECT_THAT(survey_from_json(counted).error().message,
              HasSubstr("counts: 'cycles': not a number"));
}

}  // namespace
}  // namespace tacho::bandwidth
