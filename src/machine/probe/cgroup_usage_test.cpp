#include "machine/probe/cgroup_usage.h"

#include <gtest/gtest.h>

#include "machine/probe/fixture_root.h"

namespace tacho {
namespace {

TEST(CgroupUsage, CountsThrottlingOfVersion2FromTheStart) {
  FixtureRoot root;
  root.put("proc/7/cgroup", "0::/slurm/job\n");
  root.put("sys/fs/cgroup/cpu.stat", "usage_usec 5\nuser_usec 3\n");  // the root has no quota
  root.put("sys/fs/cgroup/slurm/cpu.stat",
           "usage_usec 5\nnr_throttled 1\nthrottled_usec 2000000\n");
  root.put("sys/fs/cgroup/slurm/job/cpu.stat", "nr_throttled 0\nthrottled_usec 0\n");
  CgroupUsage usage(7, root.path());
  EXPECT_EQ(usage.problem(), "");
  EXPECT_EQ(usage.throttled_s(), 0);
  root.put("sys/fs/cgroup/slurm/cpu.stat", "nr_throttled 9\nthrottled_usec 3500000\n");
  root.put("sys/fs/cgroup/slurm/job/cpu.stat", "nr_throttled 1\nthrottled_usec 250000\n");
  EXPECT_EQ(usage.throttled_s(), 1.5);
}

TEST(CgroupUsage, CountsThrottlingOfVersion1) {
  FixtureRoot root;
  root.put("proc/7/cgroup", "2:cpu,cpuacct:/job\n");
  root.put("sys/fs/cgroup/cpu/job/cpu.stat", "nr_periods 3\nnr_throttled 1\nthrottled_time 0\n");
  CgroupUsage usage(7, root.path());
  root.put("sys/fs/cgroup/cpu/job/cpu.stat", "throttled_time 500000000\n");
  EXPECT_EQ(usage.throttled_s(), 0.5);
}

TEST(CgroupUsage, WithoutGroupsNothingIsReported) {
  const FixtureRoot root;
  CgroupUsage usage(7, root.path());
  EXPECT_EQ(usage.throttled_s(), std::nullopt);
  EXPECT_NE(usage.problem(), "");
}

}  // namespace
}  // namespace tacho
