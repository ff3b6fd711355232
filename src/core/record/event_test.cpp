#include "core/record/event.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.h"

namespace tacho {
namespace {

using testing::HasSubstr;

std::vector<Event> one_of_each() {
  Host host{
      .name = "box", .cpu = "Some \"CPU\"", .cpu_mhz = 2000, .cores = 2, .memory_bytes = 1 << 30};
  ComputePaths paths{.threads = 2,
                     .blas = "OpenBLAS",
                     .mkldnn_convolution = true,
                     .allocator = "kept",
                     .why = "probed",
                     .product_gflops = 61.5};
  return {
      {1.5, RunStarted{2, 1, "0.1.0", "abc", "1.13.1", host, paths}},
      {2.5, InputReady{60000, 10000, 10, 938, 0.25}},
      {3.5, ModelReady{61706, 0.01}},
      {4.5, StepsDone{1, 5, 1, {0.1, 0.2}, {0.01, 0.02}, {2.3, 2.2}}},
      {5.5, EpochDone{1, 938, 60000, 0.05, 0.5, 0.8, 10.0, 0.4, 0.85, 0.99, 1.0}},
      {6.5, CheckpointWritten{1, "checkpoints/epoch-0001.safetensors", 250000, 0.02}},
      {7.5, Note{"BLAS is slow"}},
      {8.5, RunEnded{Outcome::out_of_memory, "no memory", 12.0, 20.0, 1.0, 1 << 28}},
      {9.5, RanksReady{"shm+gloo", {{0, 0, "a", 40}, {1, 1, "b", 41}}, 0.5}},
      {9.6,
       RanksDone{5,
                 {{0, {0.1, 0.2}, {0, 0}, {0.05, 0.1}, {0.04, 0.1}, {0, 0.1}, {8, 8}, {9, 9}},
                  {1, {0.1, 0.2}, {0, 0}, {0.05, 0.1}, {0.04, 0.1}, {0, 0.1}, {8, 8}, {9, 9}}}}},
      {9.7, LoadMeasured{.url = "http://a:8500/predict",
                         .load = "open loop",
                         .connections = 16,
                         .steady = false,
                         .remark = "the median time went up",
                         .requests_per_s = 199.5,
                         .ok = 1990,
                         .timeouts = 3,
                         .p99_s = 0.02,
                         .slo = "p99=50ms",
                         .usd_per_hour = 0.5}},
      {9.8, RunDescribed{"base", "digits", {"small", "first"}, {{"lr", "0.1"}}}}};
}

TEST(Event, EveryKindSurvivesTheRoundTrip) {
  for (const Event& event : one_of_each()) {
    const std::string line = to_line(event);
    EXPECT_EQ(line.find('\n'), std::string::npos);
    const auto back = event_from_line(line);
    ASSERT_TRUE(back.ok()) << line << ": " << back.error().message;
    EXPECT_EQ(*back, event) << line;
  }
}

TEST(Event, ReadsTheFormerKindStay) {
  const auto read = event_from_line(
      R"({"v":1,"t":108,"kind":"stay","began":100,"entered":101,"ended":107.75,"left":108})");
  ASSERT_TRUE(read.ok()) << read.error().message;
  const EnvironmentExited exited{.began = 100, .entered = 101, .ended = 107.75, .left = 108};
  EXPECT_EQ(*read, (Event{108, exited}));
  EXPECT_THAT(to_line(*read), HasSubstr(R"("kind":"environment_exited")"));
}

TEST(Event, KeepsEveryDigitOfALoss) {
  const double loss = 2.3025850929940455;
  const auto back = event_from_line(to_line({0, StepsDone{1, 1, 0, {0.1}, {0}, {loss}}}));
  EXPECT_EQ(std::get<StepsDone>(back->body).loss[0], loss);
}

TEST(Event, ALossThatIsNotANumberSurvives) {
  const auto back = event_from_line(to_line({0, StepsDone{1, 1, 0, {0.1}, {0}, {std::nan("")}}}));
  ASSERT_TRUE(back.ok());
  EXPECT_TRUE(std::isnan(std::get<StepsDone>(back->body).loss[0]));
}

TEST(Event, RefusesANewerVersionWithTheFix) {
  const auto read = event_from_line(R"({"v":2,"t":1,"kind":"telepathy"})");
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().code, ErrorCode::newer);
  EXPECT_THAT(read.error().message, HasSubstr("update tacho"));
}

TEST(Event, RefusesListsOfDifferentLength) {
  const auto read =
      event_from_line(R"({"v":1,"t":1,"kind":"steps","epoch":1,"first_step":1,"warmup":0,)"
                      R"("seconds":[1,2],"input_seconds":[1],"loss":[1,2]})");
  EXPECT_EQ(read.error().message, "steps: the lists differ in length");
}

TEST(Event, RefusesInvalidRanks) {
  const auto problem = [](const EventBody& body) {
    const auto read = event_from_line(to_line({1, body}));
    return read.ok() ? "" : read.error().message;
  };
  const RankSteps good{0, {1}, {1}, {1}, {1}, {1}, {1}, {1}};
  RankSteps uneven = good;
  uneven.payload_bytes = {1, 2};
  RankSteps other = good;
  other.rank = -1;
  EXPECT_EQ(problem(RanksDone{1, {good}}), "");
  EXPECT_EQ(problem(RanksDone{0, {good}}), "ranks: steps are counted from 1");
  EXPECT_EQ(problem(RanksDone{1, {uneven}}), "ranks: the lists differ in length");
  EXPECT_EQ(problem(RanksDone{1, {good, good}}), "ranks: a rank appears twice");
  EXPECT_EQ(problem(RanksReady{"shm", {{-1, 0, "a", 1}}, 0}), "ranks: a rank is negative");
  EXPECT_EQ(event_from_line(R"({"v":1,"t":1,"kind":"rank_steps","first_step":1,"ranks":7})")
                .error()
                .message,
            "event: 'ranks': not a list");
  EXPECT_THAT(
      event_from_line(R"({"v":1,"t":1,"kind":"ranks","backend":"shm","seconds":1,"ranks":[[]]})")
          .error()
          .message,
      HasSubstr("not a JSON object"));
}

TEST(Event, SurvivesEveryKindOfDamage) {
  Random random(1, 0);
  int refused = 0;
  for (const Event& event : one_of_each()) {
    const std::string whole = to_line(event);
    for (int i = 0; i < 300; ++i) {
      std::string line = whole;
      const auto at =
          static_cast<std::size_t>(random.below(static_cast<std::int64_t>(line.size())));
      if (i % 2 == 0) line[at] = static_cast<char>(random.below(256));
      if (i % 2 == 1) line.erase(at, static_cast<std::size_t>(random.below(30)));
      refused += event_from_line(line).ok() ? 0 : 1;
    }
  }
  EXPECT_GT(refused, 1000);
}

TEST(Event, RefusesUnknownKindsAndKeys) {
  EXPECT_THAT(event_from_line(R"({"v":1,"t":1,"kind":"stpes"})").error().message,
              HasSubstr("did you mean 'steps'"));
  EXPECT_THAT(
      event_from_line(R"({"v":1,"t":1,"kind":"note","text":"a","tone":"b"})").error().message,
      HasSubstr("unknown key 'tone'"));
  EXPECT_FALSE(event_from_line("[]").ok());
  EXPECT_FALSE(event_from_line("").ok());
}

}  // namespace
}  // namespace tacho
