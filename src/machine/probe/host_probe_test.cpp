#include "machine/probe/host_probe.h"

#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <thread>

#include "machine/probe/fixture_root.h"

namespace tacho {
namespace {

// Texts of an H200 machine.
TEST(ReadHost, DescribesAGpuServer) {
  FixtureRoot root;
  root.put("proc/cpuinfo",
           "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor\ncpu MHz\t\t: 2100.000\n\n"
           "processor\t: 1\nmodel name\t: Intel(R) Xeon(R) Processor\ncpu MHz\t\t: 2100.500\n");
  root.put("proc/meminfo", "MemTotal:       131980916 kB\nMemFree:        1 kB\n");
  root.put("proc/sys/kernel/osrelease", "6.18.44-gpu\n");
  root.put("etc/os-release", "NAME=\"Ubuntu\"\nPRETTY_NAME=\"Ubuntu 24.04.3 LTS\"\n");
  root.put("proc/driver/nvidia/version",
           "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  580.159.04  Release Build  "
           "(nixbld@)  \nGCC version:  gcc version 15.3.0 (GCC) \n");
  root.put("proc/driver/nvidia/gpus/0000:00:06.0/information",
           "Model: \t\t NVIDIA H200\nIRQ:   \t\t 41\nGPU UUID: \t GPU-9ab8988a\n");
  root.put("proc/self/cgroup", "0::/\n");
  root.put("sys/fs/cgroup/cpu.max", "100000 100000\n");

  utsname names{};
  ASSERT_EQ(::uname(&names), 0);
  const Host expected{.name = names.nodename,
                      .system = "Ubuntu 24.04.3 LTS",
                      .kernel = "6.18.44-gpu",
                      .architecture = names.machine,
                      .cpu = "Intel(R) Xeon(R) Processor",
                      .cpu_mhz = 2100.5,
                      .cores = 1,
                      .memory_bytes = 135148457984,
                      .gpu = "NVIDIA H200",
                      .gpu_driver = "580.159.04"};
  EXPECT_EQ(read_host(root.path()), expected);
}

TEST(ReadHost, UsesTheHighestReportedFrequency) {
  FixtureRoot root;
  root.put("proc/cpuinfo", "model name\t: Core\ncpu MHz\t\t: 800.000\n");
  root.put("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "2200000\n");
  root.put("sys/devices/system/cpu/cpu10/cpufreq/cpuinfo_max_freq", "3400000\n");
  EXPECT_EQ(read_host(root.path()).cpu_mhz, 3400);
}

TEST(ReadHost, ReadsTheDriverOfTheProprietaryModule) {
  FixtureRoot root;
  root.put("proc/driver/nvidia/version",
           "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.129.03  Thu Oct 19 18:56:32 UTC "
           "2023\nGCC version:  gcc version 12.2.0 (Debian 12.2.0-14)\n");
  EXPECT_EQ(read_host(root.path()).gpu_driver, "535.129.03");
}

TEST(ReadHost, ReadsUnquotedNamesFromTheVendorsFile) {
  FixtureRoot root;
  root.put("usr/lib/os-release", "PRETTY_NAME=Minimal\n");
  EXPECT_EQ(read_host(root.path()).system, "Minimal");
}

TEST(ReadHost, MissingFilesLeaveFieldsEmpty) {
  const FixtureRoot root;
  const Host host = read_host(root.path());
  EXPECT_EQ(host.system + host.kernel + host.cpu + host.gpu + host.gpu_driver, "");
  EXPECT_EQ(host.cpu_mhz, 0);
  EXPECT_EQ(host.memory_bytes, 0);
  EXPECT_EQ(host.environment, "bare");
}

TEST(ReadHost, DescribesThisMachine) {
  const Host host = read_host();
  EXPECT_NE(host.cpu, "");
  EXPECT_NE(host.kernel, "");
  EXPECT_GE(host.cores, 1);
  EXPECT_LE(host.cores, static_cast<std::int64_t>(std::thread::hardware_concurrency()));
  EXPECT_GT(host.memory_bytes, 64 << 20);
}

TEST(UsableCores, IsTheAffinityWithoutAQuota) {
  const FixtureRoot root;
  EXPECT_EQ(usable_cores(root.path(), 12), 12);
}

TEST(UsableCores, RoundsTheQuotaUpAndNeverExceedsTheAffinity) {
  FixtureRoot root;
  root.put("proc/self/cgroup", "0::/\n");
  root.put("sys/fs/cgroup/cpu.max", "250000 100000\n");
  EXPECT_EQ(usable_cores(root.path(), 12), 3);
  EXPECT_EQ(usable_cores(root.path(), 2), 2);
  root.put("sys/fs/cgroup/cpu.max", "10000 100000\n");
  EXPECT_EQ(usable_cores(root.path(), 12), 1);
  root.put("sys/fs/cgroup/cpu.max", "9223372036854775807 1\n");
  EXPECT_EQ(usable_cores(root.path(), 12), 12);
}

TEST(UsableCores, IsAtLeastOne) {
  const FixtureRoot root;
  EXPECT_EQ(usable_cores(root.path(), 0), 1);
}

TEST(UsableMemory, IsTheSmallerOfInstalledAndAllowed) {
  FixtureRoot root;
  root.put("proc/meminfo", "MemTotal:       1024 kB\n");
  EXPECT_EQ(usable_memory(root.path()), Bytes{1048576});
  root.put("proc/self/cgroup", "0::/\n");
  root.put("sys/fs/cgroup/memory.max", "524288\n");
  EXPECT_EQ(usable_memory(root.path()), Bytes{524288});
  root.put("sys/fs/cgroup/memory.max", "9223372036854771712\n");
  EXPECT_EQ(usable_memory(root.path()), Bytes{1048576});
}

}  // namespace
}  // namespace tacho
