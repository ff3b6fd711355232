#include "core/record/disturbance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// Ten seconds on two processors: 20 s of CPU time.
Contention quiet() {
  return {.seconds = 10,
          .processors = 2,
          .others_s = 0.2,
          .stolen_s = 0,
          .ran_s = 9.9,
          .waited_s = 0.1,
          .throttled_share = 0,
          .gpus = {}};
}

TEST(Disturbance, AQuietMachineIsNoDisturbance) { EXPECT_THAT(disturbances(quiet()), IsEmpty()); }

TEST(Disturbance, OtherProgramsDisturbThreadsThatWaitForAProcessor) {
  Contention seen = quiet();
  seen.others_s = 6.2;
  seen.ran_s = 6;
  seen.waited_s = 2;
  EXPECT_THAT(disturbances(seen),
              ElementsAre("other programs took 31 % of the processors, and a thread waited 25 % of "
                          "its time for one"));
}

TEST(Disturbance, OtherProgramsOnIdleProcessorsAreNone) {
  Contention seen = quiet();
  seen.processors = 16;
  seen.others_s = 80;
  EXPECT_THAT(disturbances(seen), IsEmpty());
}

TEST(Disturbance, ThreadsOfTheRunThatWaitForEachOtherAreNone) {
  Contention seen = quiet();
  seen.ran_s = 5;
  seen.waited_s = 5;
  EXPECT_THAT(disturbances(seen), IsEmpty());
}

TEST(Disturbance, TheSmallerOfWaitedAndTakenTimeCountsFromFivePercent) {
  Contention seen = quiet();
  seen.ran_s = 9.5;
  seen.waited_s = 0.5;
  seen.others_s = 0.49;
  EXPECT_THAT(disturbances(seen), IsEmpty());
  seen.others_s = 0.5;
  EXPECT_THAT(disturbances(seen), testing::SizeIs(1));
}

TEST(Disturbance, TakenTimeDecidesIfWaitingIsUnknown) {
  Contention seen = quiet();
  seen.ran_s.reset();
  seen.waited_s.reset();
  seen.others_s = 0.99;
  EXPECT_THAT(disturbances(seen), IsEmpty());
  seen.others_s = 1;
  EXPECT_THAT(disturbances(seen), ElementsAre("other programs took 5 % of the processors"));
}

TEST(Disturbance, StolenTimeAndAQuotaAreSeparateReasons) {
  Contention seen = quiet();
  seen.stolen_s = 2.4;
  seen.throttled_share = 0.25;
  EXPECT_THAT(disturbances(seen),
              ElementsAre("the hypervisor gave 12 % of the processors' time to others",
                          "a CPU quota throttled it 25 % of the time"));
}

TEST(Disturbance, WaitingForAQuotaIsNotAttributedToOthers) {
  Contention seen = quiet();
  seen.others_s = 5;
  seen.ran_s = 5;
  seen.waited_s = 5;
  seen.throttled_share = 0.5;
  EXPECT_THAT(disturbances(seen), ElementsAre("a CPU quota throttled it 50 % of the time"));
}

TEST(Disturbance, IgnoresVeryShortPeriods) {
  Contention seen = quiet();
  seen.seconds = 0.1;
  seen.others_s = 0.2;
  seen.ran_s = 0.05;
  seen.waited_s = 0.05;
  EXPECT_THAT(disturbances(seen), IsEmpty());
}

TEST(Disturbance, IgnoresUnknownValues) {
  EXPECT_THAT(disturbances({.seconds = 10, .gpus = {}}), IsEmpty());
}

UsageSample at(double seconds) {
  UsageSample sample;
  sample.unix_seconds = 1000 + seconds;
  return sample;
}

TEST(Contention, IsThatOfTheThreadThatWaitedMost) {
  UsageLog log;
  log.samples = {at(0), at(4)};
  log.samples[1].user_s = 7;
  log.samples[1].system_s = 1;
  log.samples[1].waited_s = 1;
  log.samples[1].others_s = 0.9;
  log.samples[1].throttled_s = 1;
  log.facts = UsageFacts{.processors = 4,
                         .threads = {{"a", 1, 4, 0.1}, {"b", 1, 3, 1.0}, {"idle", 1, 0.5, 9.0}},
                         .hardware = {},
                         .unavailable = {}};
  const Contention seen = contention_of(log);
  EXPECT_DOUBLE_EQ(seen.seconds, 4);
  EXPECT_EQ(seen.processors, 4);
  EXPECT_EQ(seen.others_s, 0.9);
  EXPECT_EQ(seen.ran_s, 3);
  EXPECT_EQ(seen.waited_s, 1);
  EXPECT_EQ(seen.throttled_share, 0.25);
}

TEST(Contention, OfAGpuIsTheShareOfItsSamples) {
  UsageLog log;
  log.samples = {at(0), at(1), at(2), at(3)};
  const auto look = [](std::int64_t others, const char* slowed_by) {
    GpuSample gpu;
    gpu.index = 1;
    gpu.other_processes = others;
    gpu.throttled_by = {slowed_by};
    return gpu;
  };
  log.samples[0].gpus = {look(0, "power cap")};
  log.samples[1].gpus = {look(2, "thermal")};
  log.samples[3].gpus = {
      look(1, "power cap"),
  };
  log.samples[2].gpus = {look(1, "power cap")};
  EXPECT_THAT(disturbances(contention_of(log)),
              ElementsAre("other processes computed on GPU 1 75 % of the time",
                          "heat or a fault lowered the clocks of GPU 1 25 % of the time"));
}

TEST(Disturbance, IsExplainedInOneSentence) {
  EXPECT_EQ(disturbance_text({}), "");
  EXPECT_EQ(disturbance_text({"a happened", "b happened"}),
            "a happened; b happened; its figures are not comparable");
}

}  // namespace
}  // namespace tacho
