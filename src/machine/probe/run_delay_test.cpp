#include "machine/probe/run_delay.h"

#include <gtest/gtest.h>

#include "machine/probe/contention_sense.h"
#include "machine/probe/fixture_root.h"

namespace tacho {
namespace {

TEST(RunDelay, ReadsTheTimesAThreadRanAndWaited) {
  EXPECT_EQ(parse_schedstat("1500000000 250000000 17\n"), (RunDelay{1.5, 0.25}));
  EXPECT_EQ(parse_schedstat("1500000000"), std::nullopt);
  EXPECT_EQ(parse_schedstat("a b c"), std::nullopt);
  EXPECT_EQ(parse_schedstat(""), std::nullopt);
}

TEST(RunDelay, IsTheSumOverThreads) {
  FixtureRoot root;
  root.put("proc/7/task/7/schedstat", "1000000000 500000000 3\n");
  root.put("proc/7/task/9/schedstat", "2000000000 500000000 3\n");
  const auto delay = run_delay_of(root.path() / "proc/7/task");
  ASSERT_TRUE(delay);
  EXPECT_EQ(*delay, (RunDelay{3, 1}));
  EXPECT_DOUBLE_EQ(delay->waited_share(), 0.25);
}

TEST(RunDelay, IsUnknownIfTheKernelDoesNotCount) {
  FixtureRoot root;
  root.put("proc/7/task/7/stat", "");
  EXPECT_EQ(run_delay_of(root.path() / "proc/7/task"), std::nullopt);
}

// Simulates a process that requests one processor all the time.
class Sensed {
 public:
  bool after(double seconds, double waited_share) {
    now_ += Seconds(seconds);
    total_ += {seconds * (1 - waited_share), seconds * waited_share};
    return sense_.contended(now_, total_);
  }

 private:
  ContentionSense sense_;
  Seconds now_{0};
  RunDelay total_;
};

TEST(ContentionSense, TheFirstSampleHasNothingToCompareWith) {
  Sensed process;
  EXPECT_FALSE(process.after(1, 0.9));
  EXPECT_TRUE(process.after(0.05, 0.9));
}

TEST(ContentionSense, BackgroundNoiseIsNotContention) {
  Sensed process;
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(process.after(0.25, 0.2)) << i;
}

TEST(ContentionSense, EndsAfterASecondOfCalm) {
  Sensed process;
  process.after(0.05, 0);
  EXPECT_TRUE(process.after(0.05, 0.5));
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(process.after(0.25, 0.01)) << i;
  EXPECT_TRUE(process.after(0.25, 0.15));  // not calm yet: the second starts again
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(process.after(0.25, 0.01)) << i;
  EXPECT_FALSE(process.after(0.25, 0.01));
}

TEST(ContentionSense, AWrongEndDelaysTheNextOne) {
  Sensed process;
  process.after(0.5, 0);
  EXPECT_TRUE(process.after(0.5, 0.5));
  EXPECT_TRUE(process.after(0.5, 0));
  EXPECT_FALSE(process.after(0.5, 0));
  EXPECT_TRUE(process.after(0.5, 0.5));  // half a second later
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(process.after(0.5, 0)) << i;
  EXPECT_FALSE(process.after(0.5, 0));
}

}  // namespace
}  // namespace tacho
