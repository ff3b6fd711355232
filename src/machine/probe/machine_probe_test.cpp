#include "machine/probe/machine_probe.h"

#include <gtest/gtest.h>

#include "machine/probe/contention_watch.h"
#include "machine/probe/fixture_process.h"

namespace tacho {
namespace {

TEST(MachineTimes, AreProgramsAndStolenTime) {
  const auto times =
      parse_machine_times("cpu  100 20 30 4000 500 60 70 80 90 10\ncpu0 1 2 3\n", 100);
  EXPECT_EQ(times, (MachineTimes{1.5, 0.8}));
  EXPECT_EQ(parse_machine_times("cpu  100 20 30 4000\n", 100), (MachineTimes{1.5, 0}));
  EXPECT_EQ(parse_machine_times("cpu 1 2\n", 100), std::nullopt);
  EXPECT_EQ(parse_machine_times("intr 1 2 3 4\n", 100), std::nullopt);
}

TEST(MachineProbe, CountsFromItsConstruction) {
  FixtureRoot root;
  root.put("proc/stat", "cpu  100 0 100 0 0 0 0 50\ncpu0 1 2 3 4\ncpu1 1 2 3 4\nintr 5\n");
  MachineProbe probe(root.path());
  EXPECT_EQ(probe.processors(), 2);
  EXPECT_EQ(probe.look(), (MachineTimes{0, 0}));
  root.put("proc/stat", "cpu  300 0 200 0 0 0 0 60\n");
  const auto later = probe.look();
  ASSERT_TRUE(later);
  EXPECT_DOUBLE_EQ(later->programs_s, seconds_of_ticks(300));
  EXPECT_NEAR(later->stolen_s, seconds_of_ticks(10), 1e-9);
}

TEST(MachineProbe, ReportsNothingIfTheSystemDoesNot) {
  FixtureRoot root;
  MachineProbe probe(root.path());
  EXPECT_EQ(probe.processors(), 0);
  EXPECT_EQ(probe.look(), std::nullopt);
}

TEST(ContentionWatch, OthersAreAllExceptThisProcess) {
  FixtureRoot root;
  root.put("proc/stat", "cpu  0 0 0 0 0 0 0 0\ncpu0 1 2\ncpu1 1 2\n");
  ContentionWatch watch(root.path());
  root.put("proc/stat", "cpu  100000 0 0 0 0 0 0 30\n");
  const Contention seen = watch.look();
  EXPECT_EQ(seen.processors, 2);
  ASSERT_TRUE(seen.others_s && seen.stolen_s);
  EXPECT_LE(*seen.others_s, seconds_of_ticks(100'000));
  EXPECT_GT(*seen.others_s, seconds_of_ticks(90'000));
  EXPECT_NEAR(*seen.stolen_s, seconds_of_ticks(30), 1e-9);
}

}  // namespace
}  // namespace tacho
