#include "machine/probe/usage_sampler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <thread>

#include "base/scratch_folder.h"
#include "core/record/usage.h"
#include "core/record/usage_summary.h"
#include "machine/probe/fixture_process.h"

namespace tacho {
namespace {

using std::chrono::milliseconds;
using testing::HasSubstr;

Result<NvmlApi> no_driver() { return Error{ErrorCode::unavailable, "no driver here"}; }

int no_counters(perf_event_attr& /*event*/, pid_t /*pid*/, int /*cpu*/) { return -ENOENT; }

UsageLog read_log(const std::filesystem::path& file) {
  const auto text = read_file(file);
  EXPECT_TRUE(text.ok());
  auto log = usage_from_text(*text);
  EXPECT_TRUE(log.ok()) << log.error().message;
  return *std::move(log);
}

TEST(UsageInterval, GrowsWithTheRun) {
  constexpr Seconds kAsked{0.1};
  EXPECT_EQ(usage_interval(kAsked, Seconds(0)), kAsked);
  EXPECT_EQ(usage_interval(kAsked, Seconds(600)), kAsked);
  EXPECT_EQ(usage_interval(kAsked, Seconds(6000)), Seconds(1));
  EXPECT_EQ(usage_interval(kAsked, Seconds(1e6)), Seconds(5));
  EXPECT_EQ(usage_interval(Seconds(10), Seconds(0)), Seconds(10));
}

TEST(UsageSampler, WritesEverythingAMachineReports) {
  FixtureRoot root;
  put(root, {.pid = 10, .user_ticks = 300, .system_ticks = 100, .threads = 2, .written = 5000});
  put(root, {.pid = 11, .parent = 10, .resident_pages = 3, .written = 0});
  root.put("proc/10/task/10/children", "11 ");
  put_thread(root, {.pid = 10, .name = "main one", .user_ticks = 300}, 10, 40, 2);
  root.put("proc/10/task/10/schedstat", "3000000000 750000000 9\n");
  root.put("proc/stat", "cpu  1000 0 0 0 0 0 0 20\ncpu0 1 2\ncpu1 1 2\ncpu2 1 2\n");
  root.put("proc/10/status", "VmHWM: 64 kB\nVmSwap: 8 kB\n");
  root.put("proc/10/cgroup", "0::/job\n");
  root.put("proc/10/net/dev", "eth0: 5 0 0 0 0 0 0 0 6 0 0 0 0 0 0 0\n");
  root.put("proc/meminfo", "MemTotal: 1024 kB\n");
  root.put("sys/fs/cgroup/job/cpu.stat", "throttled_usec 100\n");
  for (const char* kind : {"cpu", "memory", "io"}) {
    root.put(std::string("proc/pressure/") + kind, "some avg10=0.00 total=70\n");
  }
  const ScratchFolder folder;
  const auto file = folder.path() / "usage.jsonl";
  auto sampler = UsageSampler::start({.pids = {10},
                                      .file = file,
                                      .root = root.path(),
                                      .interval = milliseconds(60'000),
                                      .nvml = no_driver,
                                      .perf = no_counters});
  root.put("proc/10/net/dev", "eth0: 105 0 0 0 0 0 0 0 1006 0 0 0 0 0 0 0\n");
  root.put("sys/fs/cgroup/job/cpu.stat", "throttled_usec 500100\n");
  root.put("proc/pressure/memory", "some avg10=0.00 total=250070\n");
  root.put("proc/stat", "cpu  9000 0 0 0 0 0 0 70\n");
  sampler->stop();
  EXPECT_FALSE(sampler->error());

  const UsageLog log = read_log(file);
  ASSERT_EQ(log.samples.size(), 2U);
  UsageSample expected;
  expected.unix_seconds = log.samples[1].unix_seconds;
  expected.processes = 2;
  expected.threads = 3;
  expected.user_s = seconds_of_ticks(300);
  expected.system_s = seconds_of_ticks(100);
  expected.resident_bytes = 3 * ::sysconf(_SC_PAGESIZE);
  expected.peak_resident_bytes = 64 << 10;
  expected.swapped_bytes = 8 << 10;
  expected.minor_faults = 20;
  expected.major_faults = 6;
  expected.voluntary_switches = 40;
  expected.involuntary_switches = 2;
  expected.read_bytes = 8192;
  expected.write_bytes = 5000;
  expected.read_chars = 15'000;
  expected.write_chars = 10'000;
  expected.net_rx_bytes = 100;
  expected.net_tx_bytes = 1000;
  expected.throttled_s = 0.5;
  expected.cpu_stalled_s = 0;
  expected.memory_stalled_s = 0.25;
  expected.io_stalled_s = 0;
  expected.waited_s = 0.75;
  expected.others_s = log.samples[1].others_s;
  expected.stolen_s = log.samples[1].stolen_s;
  EXPECT_EQ(log.samples[1], expected);
  // This process used some of the 8,000 ticks.
  ASSERT_TRUE(expected.others_s && expected.stolen_s);
  EXPECT_LE(*expected.others_s, seconds_of_ticks(8000));
  EXPECT_GT(*expected.others_s, seconds_of_ticks(4000));
  EXPECT_NEAR(*expected.stolen_s, seconds_of_ticks(50), 1e-9);
  ASSERT_TRUE(log.facts);
  EXPECT_EQ(log.facts->memory_limit_bytes, 1 << 20);
  EXPECT_THAT(log.facts->threads,
              testing::ElementsAre(ThreadUsage{"main one", 10, seconds_of_ticks(300), 0.75}));
  EXPECT_EQ(log.facts->processors, 3);
  EXPECT_TRUE(log.facts->hardware.empty());
  EXPECT_EQ(log.facts->unavailable.at("gpu"), "no driver here");
  EXPECT_THAT(log.facts->unavailable.at("cycles"), HasSubstr("ENOENT"));
  EXPECT_FALSE(log.facts->unavailable.contains("io"));
  EXPECT_GT(log.facts->sampler_cpu_s, 0);
}

TEST(UsageSampler, TheRunContinuesWithoutItsFile) {
  const ScratchFolder folder;
  const auto sampler = UsageSampler::start({.pids = {::getpid()},
                                            .file = folder.path() / "missing" / "usage.jsonl",
                                            .nvml = no_driver,
                                            .perf = no_counters});
  sampler->look();
  sampler->stop();
  ASSERT_TRUE(sampler->error());
  EXPECT_THAT(sampler->error()->message, HasSubstr("usage.jsonl"));
}

TEST(UsageSampler, ReportsAFullDisk) {
  auto sampler = UsageSampler::start(
      {.pids = {::getpid()}, .file = "/dev/full", .nvml = no_driver, .perf = no_counters});
  sampler->stop();
  ASSERT_TRUE(sampler->error());
  EXPECT_THAT(sampler->error()->message, HasSubstr("/dev/full"));
}

// The load that the program reports and the one that the sampler measured.
struct Measured {
  double cpu_s = 0;
  double wall_s = 0;      // from its first to its last instruction
  double lifetime_s = 0;  // including its start and its end, which a busy machine delays
  UsageLog log;
  UsageSummary summary;
};

Measured measure(const std::vector<std::string>& words, bool look_before_the_wait = true) {
  const ScratchFolder folder;
  Command command{.argv = {TACHO_KNOWN_LOAD}, .output_file = folder.path() / "said"};
  command.argv.insert(command.argv.end(), words.begin(), words.end());
  const auto began = std::chrono::steady_clock::now();
  auto child = Process::start(command);
  EXPECT_TRUE(child.ok());
  const auto file = folder.path() / "usage.jsonl";
  auto sampler = UsageSampler::start({.pids = {child->pid()}, .file = file, .nvml = no_driver});
  if (look_before_the_wait) {
    EXPECT_TRUE(child->ends_within(milliseconds(120'000)));
    sampler->look();
  }
  EXPECT_TRUE(child->wait().success());
  sampler->ended(child->pid(), *child->usage());
  sampler->stop();

  Measured measured;
  measured.lifetime_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
  const std::string said = *read_file(folder.path() / "said");
  EXPECT_EQ(std::sscanf(said.c_str(), "%lf %lf", &measured.cpu_s, &measured.wall_s), 2);
  measured.log = read_log(file);
  measured.summary = summarise(measured.log);
  return measured;
}

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true;  // the shadow memory of the program counts too
#else
constexpr bool kSanitized = false;
#endif

TEST(UsageSamplerInstrument, AKnownLoadIsReportedWithinTwoPercent) {
  if (kSanitized) GTEST_SKIP() << "the memory of a sanitizer is unknown";
  constexpr double kMiB = 1 << 20;
  const ScratchFolder folder;
  const Measured measured = measure({"touch", "256", "write", (folder.path() / "data").string(),
                                     "64", "burn", "2.0", "sleep", "1.0"});
  const UsageSummary& summary = measured.summary;
  EXPECT_NEAR(measured.cpu_s, 2.0, 0.01);
  EXPECT_NEAR(summary.user_s + summary.system_s, measured.cpu_s, 0.02 * measured.cpu_s);
  EXPECT_NEAR(static_cast<double>(summary.peak_resident_bytes), 256 * kMiB, 0.02 * 256 * kMiB);
  EXPECT_GE(measured.wall_s, 3.0);
  EXPECT_GE(summary.seconds, 0.98 * measured.wall_s);
  EXPECT_LE(summary.seconds, 1.02 * measured.lifetime_s);
  EXPECT_GE(summary.mean_cores, 0.98 * measured.cpu_s / measured.lifetime_s - 0.01);
  EXPECT_LE(summary.mean_cores, 1.02 * measured.cpu_s / measured.wall_s + 0.01);
  ASSERT_TRUE(summary.write_chars);
  EXPECT_NEAR(static_cast<double>(*summary.write_chars), 64 * kMiB, 0.02 * 64 * kMiB);
  // A file in memory, as /tmp may be, is not written to storage.
  if (*summary.write_bytes != 0) {
    EXPECT_NEAR(static_cast<double>(*summary.write_bytes), 64 * kMiB, 0.02 * 64 * kMiB);
  }
  EXPECT_GE(summary.minor_faults, 1);
  ASSERT_FALSE(measured.log.facts->threads.empty());
  EXPECT_EQ(measured.log.facts->threads[0].name, "known_load");
}

TEST(UsageSamplerInstrument, ASleepIsReportedWithinTwoPercentAndCostsNothing) {
  const Measured measured = measure({"sleep", "1.0"});
  EXPECT_GE(measured.wall_s, 1.0);
  EXPECT_GE(measured.summary.seconds, 0.98 * measured.wall_s);
  EXPECT_LE(measured.summary.seconds, 1.02 * measured.lifetime_s);
  EXPECT_LT(measured.summary.mean_cores, 0.05);
}

// It ends before the second sample, and is not sampled before it is waited for.
TEST(UsageSamplerInstrument, AProgramOfTwentyMillisecondsIsReportedInFull) {
  const Measured measured = measure({"burn", "0.02"}, false);
  const double reported = measured.summary.user_s + measured.summary.system_s;
  EXPECT_GT(reported, 0.98 * measured.cpu_s);
  // It measures before it ends, which is slow with a sanitizer.
  EXPECT_LT(reported, measured.cpu_s + (kSanitized ? 0.1 : 0.01));
}

// Ten processes of five threads each, like a data loader with workers.
TEST(UsageSamplerInstrument, SamplingStaysCheap) {
  if (kSanitized) GTEST_SKIP() << "a sanitizer makes everything slower";
  const ScratchFolder folder;
  std::string script;
  for (int i = 0; i < 9; ++i) script += std::string(TACHO_KNOWN_LOAD) + " threads 4 sleep 6 & ";
  auto child = Process::start({.argv = {"sh", "-c", script + "wait"},
                               .output_file = folder.path() / "said",
                               .own_group = true});
  ASSERT_TRUE(child.ok());
  const auto file = folder.path() / "usage.jsonl";
  auto sampler = UsageSampler::start({.pids = {child->pid()}, .file = file, .nvml = no_driver});
  EXPECT_TRUE(child->ends_within(milliseconds(60'000)));
  sampler->stop();
  const UsageLog log = read_log(file);
  const UsageSummary summary = summarise(log);
  EXPECT_EQ(summary.peak_processes, 10);
  EXPECT_EQ(summary.peak_threads, 46);
  const double share = log.facts->sampler_cpu_s / summary.seconds;
  RecordProperty("per_cent_of_a_core", std::to_string(100 * share));
  std::printf("looking took %.3f %% of a core, every %.0f ms\n", 100 * share,
              1000 * log.facts->interval_s);
  // Below 0.5 % on an idle machine; a busy one must not fail the test.
  EXPECT_LT(share, 0.01);
}

}  // namespace
}  // namespace tacho
