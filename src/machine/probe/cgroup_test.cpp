#include "machine/probe/cgroup.h"

#include <gtest/gtest.h>

#include "machine/probe/fixture_root.h"

namespace tacho {
namespace {

constexpr std::string_view kV1Unlimited = "9223372036854771712\n";

TEST(Cgroup, WithoutControlGroupsThereAreNoLimits) {
  const FixtureRoot root;
  EXPECT_EQ(cgroup_cpu_quota(root.path()), std::nullopt);
  EXPECT_EQ(cgroup_memory_limit(root.path()), std::nullopt);
}

TEST(Cgroup, ReadsVersion2) {
  FixtureRoot root;
  root.put("proc/self/cgroup", "0::/job\n");
  root.put("sys/fs/cgroup/job/cpu.max", "150000 100000\n");
  root.put("sys/fs/cgroup/job/memory.max", "2147483648\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 1.5);
  EXPECT_EQ(cgroup_memory_limit(root.path()), Bytes{2147483648});
}

TEST(Cgroup, MaxIsNoLimit) {
  FixtureRoot root;
  root.put("proc/self/cgroup", "0::/job\n");
  root.put("sys/fs/cgroup/job/cpu.max", "max 100000\n");
  root.put("sys/fs/cgroup/job/memory.max", "max\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), std::nullopt);
  EXPECT_EQ(cgroup_memory_limit(root.path()), std::nullopt);
}

TEST(Cgroup, TheTightestGroupOfAllLevelsCounts) {
  FixtureRoot root;
  root.put("proc/self/cgroup", "0::/slurm/job_7/step_0\n");
  root.put("sys/fs/cgroup/slurm/cpu.max", "800000 100000\n");
  root.put("sys/fs/cgroup/slurm/job_7/cpu.max", "200000 50000\n");
  root.put("sys/fs/cgroup/slurm/job_7/step_0/cpu.max", "max 100000\n");
  root.put("sys/fs/cgroup/slurm/job_8/cpu.max", "100000 100000\n");  // not an ancestor
  root.put("sys/fs/cgroup/slurm/memory.max", "4096\n");
  root.put("sys/fs/cgroup/slurm/job_7/memory.max", "8192\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 4);
  EXPECT_EQ(cgroup_memory_limit(root.path()), Bytes{4096});
}

TEST(Cgroup, ReadsVersion1) {
  FixtureRoot root;
  root.put("proc/self/cgroup", "4:memory:/a/b\n3:cpuset:/\n2:cpu,cpuacct:/a\n1:name=systemd:/x\n");
  root.put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  root.put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000\n");
  root.put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
  root.put("sys/fs/cgroup/memory/memory.limit_in_bytes", kV1Unlimited);
  root.put("sys/fs/cgroup/memory/a/memory.limit_in_bytes", "1048576\n");
  root.put("sys/fs/cgroup/memory/a/b/memory.limit_in_bytes", kV1Unlimited);
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 2.5);
  EXPECT_EQ(cgroup_memory_limit(root.path()), Bytes{1048576});
}

TEST(Cgroup, MinusOneIsNoQuota) {
  FixtureRoot root;
  root.put("proc/self/cgroup", "1:cpu:/\n");
  root.put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "-1\n");
  root.put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), std::nullopt);
}

// Systemd's hybrid mode mounts some controllers with version 1 and others with version 2.
TEST(Cgroup, ReadsHybridSystems) {
  FixtureRoot root;
  root.put("proc/self/cgroup", "2:memory:/old\n1:cpu,cpuacct:/old\n0::/new\n");
  root.put("sys/fs/cgroup/cpu/old/cpu.cfs_quota_us", "300000\n");
  root.put("sys/fs/cgroup/cpu/old/cpu.cfs_period_us", "100000\n");
  root.put("sys/fs/cgroup/memory/old/memory.limit_in_bytes", "8192\n");
  root.put("sys/fs/cgroup/unified/new/cpu.max", "200000 100000\n");
  root.put("sys/fs/cgroup/unified/new/memory.max", "16384\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 2);
  EXPECT_EQ(cgroup_memory_limit(root.path()), Bytes{8192});
}

// Docker with version 1: the name is that of the host, the mount shows the container's group.
TEST(Cgroup, FindsAContainersLimitsAtTheRootOfItsMount) {
  FixtureRoot root;
  root.put("proc/self/cgroup", "2:memory:/docker/3f9a\n1:cpu,cpuacct:/docker/3f9a\n");
  root.put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "50000\n");
  root.put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n");
  root.put("sys/fs/cgroup/memory/memory.limit_in_bytes", "4096\n");
  EXPECT_EQ(cgroup_cpu_quota(root.path()), 0.5);
  EXPECT_EQ(cgroup_memory_limit(root.path()), Bytes{4096});
}

TEST(Cgroup, NeverLooksOutsideTheMount) {
  FixtureRoot root;
  root.put("proc/self/cgroup", "0::/../../evil:name\n");
  root.put("sys/evil:name/memory.max", "1\n");
  root.put("sys/fs/cgroup/evil:name/memory.max", "4096\n");
  EXPECT_EQ(cgroup_memory_limit(root.path()), Bytes{4096});
}

}  // namespace
}  // namespace tacho
