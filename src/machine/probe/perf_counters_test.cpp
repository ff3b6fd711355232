#include "machine/probe/perf_counters.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <array>
#include <cerrno>

#include "base/subprocess.h"
#include "machine/probe/fixture_root.h"
#include "machine/probe/memory_controllers.h"
#include "machine/probe/proc_stat.h"
#include "machine/probe/proc_text.h"

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;

PerfOpen refuses_with(int error) {
  return [error](perf_event_attr&, pid_t, int) { return -error; };
}

// Returns a counter that can be read once and has counted `value` in half of the time.
int counter_with(std::uint64_t value) {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) return -EMFILE;
  const std::array<std::uint64_t, 3> content{value, 2000, 1000};
  EXPECT_EQ(::write(ends[1], content.data(), sizeof content), ssize_t{sizeof content});
  ::close(ends[1]);
  return ends[0];
}

TEST(PerfCounters, WithoutHardwareGiveAReasonAndNoZeros) {
  const FixtureRoot root;
  const auto counters = PerfCounters::open(1, root.path(), refuses_with(ENOENT));
  EXPECT_THAT(counters.read(), IsEmpty());
  EXPECT_THAT(counters.unavailable().at("cycles"), HasSubstr("perf_event_open fails with ENOENT"));
  EXPECT_THAT(counters.unavailable().at("llc_misses"), HasSubstr("virtual machine without a PMU"));
  EXPECT_THAT(counters.unavailable().at("memory_bandwidth"), HasSubstr("uncore_imc"));
}

TEST(PerfCounters, NameTheSettingThatForbidsThem) {
  FixtureRoot root;
  root.put("proc/sys/kernel/perf_event_paranoid", "3\n");
  const auto counters = PerfCounters::open(1, root.path(), refuses_with(EACCES));
  EXPECT_EQ(counters.unavailable().at("cycles"),
            "perf_event_paranoid is 3; sysctl kernel.perf_event_paranoid=2");
  root.put("proc/sys/kernel/perf_event_paranoid", "2\n");
  EXPECT_THAT(PerfCounters::open(1, root.path(), refuses_with(EPERM)).unavailable().at("cycles"),
              HasSubstr("CAP_PERFMON"));
}

TEST(PerfCounters, MultiplexedCountersAreScaledUp) {
  const FixtureRoot root;
  const auto counters =
      PerfCounters::open(7, root.path(), [](perf_event_attr& event, pid_t pid, int cpu) {
        EXPECT_EQ(pid, 7);
        EXPECT_EQ(cpu, -1);
        EXPECT_EQ(event.inherit, 1U);
        return counter_with(100 + event.config);
      });
  EXPECT_THAT(counters.read(),
              ElementsAre(Pair("cycles", 200), Pair("instructions", 202), Pair("llc_misses", 206)));
}

void put_controller(FixtureRoot& root, const std::string& name, const std::string& cpus) {
  const std::string device = "sys/bus/event_source/devices/" + name;
  root.put(device + "/type", "24\n");
  root.put(device + "/cpumask", cpus);
  root.put(device + "/format/event", "config:0-7\n");
  root.put(device + "/format/umask", "config:8-15\n");
  root.put(device + "/events/cas_count_read", "event=0x04,umask=0x03\n");
  root.put(device + "/events/cas_count_read.scale", "6.103515625e-5\n");
  root.put(device + "/events/cas_count_read.unit", "MiB\n");
  root.put(device + "/events/clockticks", "event=0x00\n");
}

TEST(MemoryControllers, FollowTheDescriptionOfTheKernel) {
  FixtureRoot root;
  put_controller(root, "uncore_imc_0", "0,28\n");
  root.put("sys/bus/event_source/devices/cpu/type", "4\n");
  const auto events = memory_events(root.path());
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0].name, "memory_read_bytes");
  EXPECT_EQ(events[0].type, 24U);
  EXPECT_EQ(events[0].config, 0x304U);
  EXPECT_EQ(events[0].cpu, 0);
  EXPECT_EQ(events[0].bytes, 64);
  EXPECT_EQ(events[1].cpu, 28);
}

TEST(MemoryControllers, ATermWithoutAFormatIsRefused) {
  FixtureRoot root;
  root.put("format/event", "config:0-7");
  root.put("format/far", "config:99");
  EXPECT_EQ(event_config("event=0xff", root.path() / "format"), 0xffU);
  EXPECT_EQ(event_config("event=4,umask=3", root.path() / "format"), std::nullopt);
  EXPECT_EQ(event_config("far=1", root.path() / "format"), std::nullopt);
  EXPECT_EQ(event_config("event=0xzz", root.path() / "format"), std::nullopt);
}

TEST(PerfCounters, MemoryIsTheSumOfAllChannelsOrAbsent) {
  FixtureRoot root;
  put_controller(root, "uncore_imc_0", "0\n");
  put_controller(root, "uncore_imc_1", "0\n");
  int opened = 0;
  const auto open_all = [](perf_event_attr& event, pid_t pid, int) {
    return pid == -1 && event.type == 24 ? counter_with(10) : -ENOENT;
  };
  EXPECT_THAT(PerfCounters::open(1, root.path(), open_all).read(),
              ElementsAre(Pair("memory_read_bytes", 2 * 10 * 2 * 64)));
  const auto open_one = [&opened](perf_event_attr& event, pid_t, int) {
    return event.type == 24 && opened++ == 0 ? counter_with(10) : -EACCES;
  };
  EXPECT_THAT(PerfCounters::open(1, root.path(), open_one).read(), IsEmpty());
}

// Tests inheritance by the kernel with a counter that needs no hardware, page faults: unlike times,
// the kernel counts them equally here and in the usage of the child.
TEST(PerfCounters, CountTheChildrenOfAProcessThatHasEnded) {
  std::array<int, 2> pipe{};
  ASSERT_EQ(::pipe2(pipe.data(), O_CLOEXEC), 0);
  const UniqueFd in(pipe[0]);
  UniqueFd out(pipe[1]);
  // The shell waits for the end of its input before it starts children.
  auto child = Process::start(
      {.argv = {"sh", "-c", "read line; for i in 1 2 3 4 5 6 7 8; do sh -c :; done; true"},
       .in = in.get()});
  ASSERT_TRUE(child.ok());
  const FixtureRoot root;
  const auto counters =
      PerfCounters::open(child->pid(), root.path(), [](perf_event_attr& event, pid_t pid, int cpu) {
        event.type = PERF_TYPE_SOFTWARE;
        event.config = PERF_COUNT_SW_PAGE_FAULTS;
        event.exclude_kernel = 0;
        return perf_open(event, pid, cpu);
      });
  const auto before = parse_proc_stat(read_text(fmt::format("/proc/{}/stat", child->pid())));
  out.reset();
  child->wait();
  if (counters.unavailable().contains("cycles")) {
    GTEST_SKIP() << "no counters at all: " << counters.unavailable().at("cycles");
  }
  const double counted = counters.read().at("cycles");
  const auto all = static_cast<double>(child->usage()->minor_faults + child->usage()->major_faults);
  ASSERT_TRUE(before.has_value());
  // The shell itself may have started before or after its counter.
  EXPECT_LE(counted, 1.1 * all);
  EXPECT_GE(counted,
            0.9 * (all - static_cast<double>(before->minor_faults + before->major_faults)));
}

}  // namespace
}  // namespace tacho
