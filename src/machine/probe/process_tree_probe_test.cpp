#include "machine/probe/process_tree_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <thread>

#include "base/random.h"
#include "machine/probe/fixture_process.h"

namespace tacho {
namespace {

using testing::HasSubstr;

class ProcessTreeTest : public testing::Test {
 protected:
  UsageSample look(ProcessTreeProbe& probe) {
    probe.find_members();
    UsageSample sample;
    probe.look(sample);
    return sample;
  }
  FixtureRoot root_;
};

TEST_F(ProcessTreeTest, AddsUpOnlyTheTree) {
  put(root_, {.pid = 10, .user_ticks = 100, .system_ticks = 20, .threads = 3, .written = 1000});
  put(root_, {.pid = 9, .parent = 11, .user_ticks = 7});  // a lower pid than its parent
  put(root_, {.pid = 11, .parent = 10, .name = "a) R 1 (b", .threads = 2, .resident_pages = 5});
  put(root_, {.pid = 12, .parent = 10, .state = 'Z', .user_ticks = 30, .resident_pages = 9});
  put(root_, {.pid = 50, .parent = 1, .user_ticks = 5000, .resident_pages = 70});
  put(root_, {.pid = 51, .parent = 50, .user_ticks = 5000});
  ProcessTreeProbe probe({10}, root_.path());
  const UsageSample sample = look(probe);
  EXPECT_EQ(sample.processes, 3);
  EXPECT_EQ(sample.threads, 6);
  EXPECT_EQ(sample.user_s, seconds_of_ticks(137));
  EXPECT_EQ(sample.system_s, seconds_of_ticks(20));
  EXPECT_EQ(sample.resident_bytes, 5 * ::sysconf(_SC_PAGESIZE));
  EXPECT_EQ(sample.minor_faults, 40);
  EXPECT_EQ(sample.major_faults, 12);
  EXPECT_EQ(sample.write_bytes, 1000);
  EXPECT_EQ(sample.read_bytes, 4096);
  EXPECT_EQ(sample.write_chars, 2000);
  EXPECT_EQ(sample.read_chars, 3000);
}

TEST_F(ProcessTreeTest, SeveralFirstProcessesAreOneTree) {
  put(root_, {.pid = 10, .user_ticks = 100});
  put(root_, {.pid = 20, .user_ticks = 11});
  put(root_, {.pid = 21, .parent = 20, .user_ticks = 5});
  ProcessTreeProbe probe({10, 20}, root_.path());
  EXPECT_EQ(look(probe).user_s, seconds_of_ticks(116));
}

TEST_F(ProcessTreeTest, ADescendantStaysAMemberAfterItsParentIsGone) {
  put(root_, {.pid = 10});
  put(root_, {.pid = 11, .parent = 10});
  put(root_, {.pid = 12, .parent = 11, .user_ticks = 5});
  ProcessTreeProbe probe({10}, root_.path());
  look(probe);
  remove(root_, 11);
  put(root_, {.pid = 12, .parent = 1, .user_ticks = 8});
  put(root_, {.pid = 13, .parent = 12, .user_ticks = 2});
  const UsageSample sample = look(probe);
  EXPECT_EQ(sample.processes, 3);
  EXPECT_EQ(sample.user_s, seconds_of_ticks(10));
}

TEST_F(ProcessTreeTest, AnOrphanIsFoundByAGroupOrSessionOfTheTree) {
  put(root_, {.pid = 10, .group = 10, .session = 5});
  put(root_, {.pid = 20, .parent = 1, .group = 10, .session = 5});
  put(root_, {.pid = 30, .parent = 1, .group = 30, .session = 5});  // the session of the user
  ProcessTreeProbe probe({10}, root_.path());
  EXPECT_EQ(look(probe).processes, 2);
}

TEST_F(ProcessTreeTest, ChildrenOfFirstThreadsAreFoundWithoutAListing) {
  put(root_, {.pid = 10});
  ProcessTreeProbe probe({10}, root_.path());
  look(probe);
  put(root_, {.pid = 11, .parent = 10, .user_ticks = 5});
  put(root_, {.pid = 12, .parent = 11, .user_ticks = 6});
  root_.put("proc/10/task/10/children", "11 99 ");
  root_.put("proc/11/task/11/children", "12 x 10 ");
  probe.find_children();
  probe.find_children();
  UsageSample sample;
  probe.look(sample);
  EXPECT_EQ(sample.processes, 3);
  EXPECT_EQ(sample.user_s, seconds_of_ticks(11));
  EXPECT_EQ(look(probe).processes, 3);
}

TEST_F(ProcessTreeTest, DetectsNewProcesses) {
  put(root_, {.pid = 10});
  ProcessTreeProbe probe({10}, root_.path());
  probe.find_members();
  EXPECT_TRUE(probe.process_started());  // unknown without loadavg
  root_.put("proc/loadavg", "0.34 0.22 0.89 2/163 14387\n");
  probe.find_members();
  EXPECT_FALSE(probe.process_started());
  root_.put("proc/loadavg", "0.34 0.22 0.89 2/163 14388\n");
  EXPECT_TRUE(probe.process_started());
  EXPECT_TRUE(probe.process_started());
  probe.find_members();
  EXPECT_FALSE(probe.process_started());
}

TEST_F(ProcessTreeTest, AProcessWithAReusedPidIsNotAMember) {
  put(root_, {.pid = 10, .user_ticks = 1});
  put(root_, {.pid = 11, .parent = 10, .group = 11, .user_ticks = 5});
  ProcessTreeProbe probe({10}, root_.path());
  look(probe);
  put(root_, {.pid = 11, .parent = 1, .group = 11, .user_ticks = 900, .start_ticks = 2000});
  put(root_, {.pid = 12, .parent = 11, .group = 11, .user_ticks = 900, .start_ticks = 2001});
  UsageSample sample;
  probe.look(sample);
  EXPECT_EQ(sample.processes, 1);
  EXPECT_EQ(look(probe).processes, 1);
  EXPECT_EQ(look(probe).user_s, seconds_of_ticks(6));
}

TEST_F(ProcessTreeTest, KeepsThePeakMemory) {
  const std::int64_t page = ::sysconf(_SC_PAGESIZE);
  put(root_, {.pid = 10, .resident_pages = 100});
  put(root_, {.pid = 11, .parent = 10, .resident_pages = 50});
  ProcessTreeProbe probe({10}, root_.path());
  EXPECT_EQ(look(probe).peak_resident_bytes, 150 * page);
  remove(root_, 11);
  EXPECT_EQ(look(probe).peak_resident_bytes, 150 * page);
  EXPECT_EQ(look(probe).resident_bytes, 100 * page);
  root_.put("proc/10/status", "Name:\tx\nVmHWM:\t 9000 kB\nVmRSS:\t400 kB\nVmSwap:\t 12 kB\n");
  probe.look_deeper();
  EXPECT_EQ(look(probe).peak_resident_bytes, 9000 * 1024);
  EXPECT_EQ(look(probe).swapped_bytes, 12 * 1024);
}

TEST_F(ProcessTreeTest, ThreadsAreNamedAndSwitchesAddedUp) {
  put(root_, {.pid = 10});
  put_thread(root_, {.pid = 10, .name = "python3", .user_ticks = 50}, 10, 100, 3);
  put_thread(root_, {.pid = 15, .name = "pt data", .user_ticks = 80, .system_ticks = 1}, 10, 7, 1);
  put_thread(root_, {.pid = 16, .name = "idle"}, 10, 2, 0);
  ProcessTreeProbe probe({10}, root_.path());
  probe.look_deeper();
  std::filesystem::remove_all(root_.path() / "proc/10/task/15");
  probe.look_deeper();
  const auto threads = probe.busiest_threads(5);
  ASSERT_EQ(threads.size(), 2U);
  EXPECT_EQ(threads[0], (ThreadUsage{"pt data", 10, seconds_of_ticks(81)}));
  EXPECT_EQ(threads[1], (ThreadUsage{"python3", 10, seconds_of_ticks(50)}));
  EXPECT_EQ(look(probe).voluntary_switches, 109);
  EXPECT_EQ(look(probe).involuntary_switches, 4);
  remove(root_, 10);
  EXPECT_EQ(look(probe).voluntary_switches, 109);
  EXPECT_EQ(probe.busiest_threads(1).size(), 1U);
}

TEST_F(ProcessTreeTest, ReportsWhyThereIsNoIo) {
  put(root_, {.pid = 10});
  ProcessTreeProbe probe({10}, root_.path());
  EXPECT_EQ(look(probe).read_bytes, std::nullopt);
  EXPECT_THAT(probe.io_problem(), HasSubstr("CONFIG_TASK_IO_ACCOUNTING"));
}

TEST_F(ProcessTreeTest, AnEmptyProcHasNoProcesses) {
  ProcessTreeProbe probe({10}, root_.path());
  EXPECT_EQ(look(probe), UsageSample{});
}

TEST_F(ProcessTreeTest, SurvivesFilesOfAnyBytes) {
  Random random(3, 0);
  put(root_, {.pid = 10, .written = 5});
  ProcessTreeProbe probe({10}, root_.path());
  for (int i = 0; i < 300; ++i) {
    for (const char* file : {"stat", "io", "status", "task/10/stat", "task/10/status"}) {
      std::string text = stat_text({.pid = 10}) + "VmHWM: 9223372036854775807 kB\nrchar: 1\n";
      for (int hits = 0; hits < i % 5; ++hits) {
        const auto at = random.below(static_cast<std::int64_t>(text.size()));
        text[static_cast<std::size_t>(at)] = static_cast<char>(random.below(256));
      }
      root_.put(std::filesystem::path("proc/10") / file, text);
    }
    probe.look_deeper();
    EXPECT_GE(look(probe).user_s, 0);
  }
}

double children_cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// Most of them start and end between two samples.
TEST(ProcessTree, CountsTwoHundredShortChildren) {
  const double before = children_cpu_seconds();
  auto shell =
      Process::start({{"sh", "-c",
                       "i=0; while [ $i -lt 200 ]; do sh -c 'j=0; while [ $j -lt 4000 ]; do "
                       "j=$((j+1)); done'; i=$((i+1)); done"}});
  ASSERT_TRUE(shell.ok());
  ProcessTreeProbe probe({shell->pid()});
  UsageSample last;
  do {
    last = {};
    probe.find_members();
    probe.look(last);
  } while (!shell->ends_within(std::chrono::milliseconds(5)));
  UsageSample zombie;
  probe.look(zombie);
  shell->wait();
  const double truth = children_cpu_seconds() - before;
  const double tick = seconds_of_ticks(1);
  // Whole ticks of user and system time, of the shell and its children.
  EXPECT_NEAR(zombie.user_s + zombie.system_s, truth, 0.02 * truth + 4 * tick);

  probe.ended(shell->pid(), *shell->usage());
  UsageSample after;
  probe.look(after);
  EXPECT_NEAR(after.user_s + after.system_s, truth, 0.02 * truth);
  EXPECT_EQ(after.processes, 0);
}

// Its parent ignores its end, so the system drops its counters.
TEST(ProcessTree, KeepsTheUsageOfAChildThatNobodyWaitsFor) {
  const std::string script =
      "(sh -c 'i=0; while [ $i -lt 300000 ]; do i=$((i+1)); done; sleep 0.3' &); sleep 600";
  auto shell = Process::start({.argv = {"sh", "-c", script}, .own_group = true});
  ASSERT_TRUE(shell.ok());
  ProcessTreeProbe probe({shell->pid()});
  double most_of_the_child = 0;
  bool was_there = false;
  for (int look = 0; look < 3000; ++look) {
    probe.find_members();
    UsageSample sample;
    probe.look(sample);
    most_of_the_child = std::max(most_of_the_child, sample.user_s + sample.system_s);
    was_there = was_there || sample.processes >= 3;
    if (was_there && sample.processes <= 2 && most_of_the_child > 0.03) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  EXPECT_TRUE(was_there);
  for (int look = 0; look < 3; ++look) {
    UsageSample sample;
    probe.look(sample);
    EXPECT_GE(sample.user_s + sample.system_s, most_of_the_child);
  }
  EXPECT_GT(most_of_the_child, 0.03);
}

}  // namespace
}  // namespace tacho
