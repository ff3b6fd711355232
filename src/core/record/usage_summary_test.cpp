#include "core/record/usage_summary.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tacho {
namespace {

using testing::ElementsAre;
using testing::Pair;

// Four seconds: one busy core in the first two, three in the third, none in the last.
UsageLog four_seconds() {
  UsageLog log;
  constexpr double kUser[] = {0, 0.75, 1.5, 4.0, 4.0};
  constexpr double kSystem[] = {0, 0.25, 0.5, 1.0, 1.0};
  for (int i = 0; i < 5; ++i) {
    UsageSample sample;
    sample.unix_seconds = 100 + i;
    sample.user_s = kUser[i];
    sample.system_s = kSystem[i];
    sample.processes = i == 2 ? 7 : 1;
    sample.threads = i == 3 ? 30 : 4;
    sample.resident_bytes = 1000 * i;
    sample.peak_resident_bytes = 5000;
    sample.swapped_bytes = i == 1 ? 64 : 0;
    sample.minor_faults = 10 * i;
    sample.major_faults = i;
    sample.voluntary_switches = 20 * i;
    sample.involuntary_switches = 3 * i;
    sample.read_bytes = 100 * i;
    sample.write_bytes = 200 * i;
    sample.read_chars = 300 * i;
    sample.write_chars = 400 * i;
    sample.net_rx_bytes = 1;
    sample.net_tx_bytes = 2;
    sample.throttled_s = 0.5 * i;
    sample.cpu_stalled_s = 0.25 * i;
    sample.memory_stalled_s = 0;
    log.samples.push_back(sample);
  }
  return log;
}

TEST(UsageSummary, AddsUpARun) {
  const UsageSummary summary = summarise(four_seconds());
  EXPECT_EQ(summary.seconds, 4);
  EXPECT_EQ(summary.mean_cores, 1.25);
  EXPECT_EQ(summary.max_cores, 3);
  EXPECT_EQ(summary.user_s, 4);
  EXPECT_EQ(summary.system_s, 1);
  EXPECT_EQ(summary.mean_resident_bytes, 2000);
  EXPECT_EQ(summary.peak_resident_bytes, 5000);
  EXPECT_EQ(summary.peak_swapped_bytes, 64);
  EXPECT_EQ(summary.peak_processes, 7);
  EXPECT_EQ(summary.peak_threads, 30);
  EXPECT_EQ(summary.minor_faults, 40);
  EXPECT_EQ(summary.major_faults, 4);
  EXPECT_EQ(summary.voluntary_switches, 80);
  EXPECT_EQ(summary.involuntary_switches, 12);
  EXPECT_EQ(summary.read_bytes, 400);
  EXPECT_EQ(summary.write_bytes, 800);
  EXPECT_EQ(summary.read_chars, 1200);
  EXPECT_EQ(summary.write_chars, 1600);
  EXPECT_EQ(summary.read_bytes_per_s, 100);
  EXPECT_EQ(summary.write_bytes_per_s, 200);
  EXPECT_EQ(summary.net_rx_bytes, 1);
  EXPECT_EQ(summary.net_tx_bytes, 2);
  EXPECT_EQ(summary.throttled_share, 0.5);
  EXPECT_EQ(summary.cpu_stalled_share, 0.25);
  EXPECT_EQ(summary.memory_stalled_share, 0);
  EXPECT_EQ(summary.io_stalled_share, std::nullopt);
  EXPECT_TRUE(summary.gpus.empty());
}

// A tick is 10 ms: 0.02 s within the 10 ms between two samples would be two cores.
TEST(UsageSummary, TheBusiestSecondIsNotTheBusiestSample) {
  UsageLog log;
  for (int i = 0; i <= 200; ++i) {
    UsageSample sample;
    sample.unix_seconds = 0.01 * i;
    sample.user_s = 0.02 * (i / 4);  // NOLINT: whole ticks are meant
    log.samples.push_back(sample);
  }
  EXPECT_NEAR(summarise(log).max_cores, 0.5, 0.021);
}

TEST(UsageSummary, ARunShorterThanASecondIsOneWindow) {
  UsageLog log;
  log.samples.resize(2);
  log.samples[1].unix_seconds = 0.5;
  log.samples[1].user_s = 0.25;
  EXPECT_EQ(summarise(log).max_cores, 0.5);
  EXPECT_EQ(summarise(log).mean_cores, 0.5);
}

// The CPU time of children is counted when they have ended, one sample late.
TEST(UsageSummary, ReportsNoMoreCoresThanAvailable) {
  UsageLog log;
  log.samples.resize(3);
  log.samples[1].unix_seconds = 2;
  log.samples[1].user_s = 1;
  log.samples[2].unix_seconds = 2.06;
  log.samples[2].user_s = 8;
  log.facts = UsageFacts{.cores = 2};
  EXPECT_EQ(summarise(log).max_cores, 2);
  EXPECT_EQ(summarise(log).mean_cores, 2);
}

TEST(UsageSummary, AVeryShortPeriodHasNoRate) {
  UsageLog log;
  log.samples.resize(2);
  log.samples[1].unix_seconds = 0.002;
  log.samples[1].user_s = 0.12;
  EXPECT_EQ(summarise(log).mean_cores, 0);
  EXPECT_EQ(summarise(log).max_cores, 0);
}

TEST(UsageSummary, NoTimeGivesNoRates) {
  EXPECT_EQ(summarise({}).seconds, 0);
  UsageLog log = four_seconds();
  log.samples.resize(1);
  const UsageSummary summary = summarise(log);
  EXPECT_EQ(summary.mean_cores, 0);
  EXPECT_EQ(summary.max_cores, 0);
  EXPECT_EQ(summary.read_bytes_per_s, 0);
}

TEST(UsageSummary, ACounterThatBecomesUnavailableKeepsItsLastValue) {
  UsageLog log = four_seconds();
  log.samples.back().write_bytes.reset();
  EXPECT_EQ(summarise(log).write_bytes, 600);
}

UsageLog with_gpus(bool energy_counter) {
  UsageLog log;
  for (int i = 0; i < 4; ++i) {
    GpuSample gpu{.index = 0,
                  .name = "H200",
                  .busy = 0.25 * i,
                  .memory_busy = 0.5,
                  .memory_bytes = 1000 * i,
                  .memory_total_bytes = 8000,
                  .watts = 100.0 + 100 * i,
                  .sm_mhz = 1000,
                  .sm_max_mhz = 2000,
                  .celsius = 50.0 + i};
    if (energy_counter) gpu.joules = 10'000 + 333 * i;
    if (i < 3) gpu.throttled_by = {"power cap"};
    if (i == 1) gpu.pcie_rx_bytes_per_s = 5e6;
    if (i == 2) gpu.pcie_rx_bytes_per_s = 7e6;
    UsageSample sample;
    sample.unix_seconds = 2 * i;
    sample.gpus = {gpu, {.index = 1, .name = "other"}};
    log.samples.push_back(sample);
  }
  return log;
}

TEST(UsageSummary, AddsUpEachGpu) {
  const UsageSummary summary = summarise(with_gpus(true));
  ASSERT_EQ(summary.gpus.size(), 2U);
  const GpuSummary& gpu = summary.gpus[0];
  EXPECT_EQ(gpu.name, "H200");
  EXPECT_EQ(gpu.mean_busy, 0.375);
  EXPECT_EQ(gpu.max_busy, 0.75);
  EXPECT_EQ(gpu.mean_memory_busy, 0.5);
  EXPECT_EQ(gpu.mean_memory_bytes, 1500);
  EXPECT_EQ(gpu.max_memory_bytes, 3000);
  EXPECT_EQ(gpu.memory_total_bytes, 8000);
  EXPECT_EQ(gpu.mean_watts, 250);
  EXPECT_EQ(gpu.joules, 999);
  EXPECT_EQ(gpu.mean_sm_mhz, 1000);
  EXPECT_EQ(gpu.sm_share_of_max, 0.5);
  EXPECT_EQ(gpu.max_celsius, 53);
  EXPECT_THAT(gpu.throttled_by, ElementsAre(Pair("power cap", 0.75)));
  EXPECT_EQ(gpu.mean_pcie_rx_bytes_per_s, 6e6);
  EXPECT_EQ(gpu.mean_pcie_tx_bytes_per_s, std::nullopt);
  EXPECT_EQ(summary.gpus[1].name, "other");
  EXPECT_EQ(summary.gpus[1].sm_share_of_max, 0);
}

TEST(UsageSummary, WithoutACounterEnergyIsPowerOverTime) {
  // 2 s each at 150, 250 and 350 W on average.
  EXPECT_EQ(summarise(with_gpus(false)).gpus[0].joules, 1500);
}

}  // namespace
}  // namespace tacho
