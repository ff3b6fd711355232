#include "machine/probe/pressure_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "machine/probe/fixture_root.h"

namespace tacho {
namespace {

void put_machine(FixtureRoot& root, const std::string& cpu_total) {
  root.put("proc/pressure/cpu", "some avg10=0.84 avg60=0.70 avg300=1.22 total=" + cpu_total +
                                    "\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=7\n");
  root.put("proc/pressure/memory", "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\n");
  root.put("proc/pressure/io", "some avg10=0.00 avg60=0.00 avg300=0.00 total=6\n");
}

TEST(Pressure, CountsTheStallsOfTheMachineFromItsConstruction) {
  FixtureRoot root;
  put_machine(root, "1000000");
  PressureProbe probe(7, root.path());
  EXPECT_EQ(probe.problem(), "");
  put_machine(root, "1250000");
  UsageSample sample;
  probe.look(sample);
  EXPECT_EQ(sample.cpu_stalled_s, 0.25);
  EXPECT_EQ(sample.memory_stalled_s, 0);
  EXPECT_EQ(sample.io_stalled_s, 0);
}

TEST(Pressure, PrefersTheGroupOfTheProcess) {
  FixtureRoot root;
  put_machine(root, "1000000");
  root.put("proc/7/cgroup", "1:cpu:/old\n0::/job\n");
  root.put("sys/fs/cgroup/unified/job/cpu.pressure", "some avg10=0 avg60=0 avg300=0 total=0\n");
  PressureProbe probe(7, root.path());
  put_machine(root, "9000000");
  root.put("sys/fs/cgroup/unified/job/cpu.pressure",
           "some avg10=0 avg60=0 avg300=0 total=500000\n");
  UsageSample sample;
  probe.look(sample);
  EXPECT_EQ(sample.cpu_stalled_s, 0.5);
}

TEST(Pressure, ReportsWhatIsMissing) {
  FixtureRoot root;
  const PressureProbe none(7, root.path());
  EXPECT_THAT(none.problem(), testing::HasSubstr("CONFIG_PSI"));
  for (const char* kind : {"cpu", "memory", "io"}) {
    root.put(std::string("proc/pressure/") + kind, "");
  }
  PressureProbe off(7, root.path());
  EXPECT_THAT(off.problem(), testing::HasSubstr("psi=1"));
  UsageSample sample;
  off.look(sample);
  EXPECT_EQ(sample.cpu_stalled_s, std::nullopt);
}

}  // namespace
}  // namespace tacho
