#include "machine/probe/nvml_probe.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>

namespace tacho {
namespace {

using std::chrono::milliseconds;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr int kNotSupported = 3;

struct Counts {
  int sessions = 0;
  int pcie = 0;
  std::vector<NvmlApi::Sample> busy;
};
// Global, because the functions of the library have no user data.
Counts counts;

NvmlApi two_gpus() {
  static int first = 1;
  static int second = 2;
  NvmlApi api;
  api.init = [] { return ++counts.sessions, 0; };
  api.shutdown = [] { return --counts.sessions, 0; };
  api.error_string = [](int error) {
    return error == kNotSupported ? "Not Supported" : "Driver Not Loaded";
  };
  api.device_count = [](unsigned* count) { return *count = 2, 0; };
  api.device_handle = [](unsigned index, NvmlApi::Device* device) {
    *device = index == 0 ? &first : &second;
    return 0;
  };
  api.device_name = [](NvmlApi::Device device, char* name, unsigned length) {
    std::strncpy(name, device == &first ? "NVIDIA H200" : "NVIDIA T4", length);
    return 0;
  };
  api.utilization = [](NvmlApi::Device, NvmlApi::Utilization* use) { return *use = {97, 40}, 0; };
  api.samples = [](NvmlApi::Device, int kind, unsigned long long since, int* type, unsigned* count,
                   NvmlApi::Sample* samples) {
    constexpr unsigned kBuffer = 4;
    if (samples == nullptr) return *count = kBuffer, 0;
    EXPECT_EQ(kind, NvmlApi::sample_busy);
    EXPECT_EQ(*count, kBuffer);
    *type = NvmlApi::unsigned_value;
    *count = 0;
    for (const NvmlApi::Sample& sample : counts.busy) {
      if (sample.microseconds > since) samples[(*count)++] = sample;
    }
    constexpr int kNotFound = 6;
    return *count > 0 ? 0 : kNotFound;
  };
  api.memory_info = [](NvmlApi::Device, NvmlApi::Memory* memory) {
    return *memory = {1000, 400, 600}, 0;
  };
  api.power_usage = [](NvmlApi::Device, unsigned* mw) { return *mw = 512'500, 0; };
  api.total_energy = [](NvmlApi::Device device, unsigned long long* mj) {
    return *mj = 9'500, device == &first ? 0 : kNotSupported;
  };
  api.clock_info = [](NvmlApi::Device, int clock, unsigned* mhz) {
    return *mhz = clock == NvmlApi::clock_sm ? 1755 : 3201, 0;
  };
  api.max_clock_info = [](NvmlApi::Device, int, unsigned* mhz) { return *mhz = 1980, 0; };
  api.clocks_event_reasons = [](NvmlApi::Device device, unsigned long long* bits) {
    return *bits = device == &first ? 0x25 : 0x1, 0;
  };
  api.temperature = [](NvmlApi::Device, int, unsigned* celsius) { return *celsius = 61, 0; };
  api.pcie_throughput = [](NvmlApi::Device, int counter, unsigned* kb) {
    ++counts.pcie;
    return *kb = counter == NvmlApi::pcie_received ? 2000 : 30, 0;
  };
  return api;
}

TEST(NvmlProbe, ReadsEveryField) {
  auto probe = NvmlProbe::open(two_gpus());
  ASSERT_TRUE(probe.ok());
  const auto now = NvmlProbe::Clock::now();
  counts.busy = {{100, 10, 0}};
  for (int look = 0; look < 3; ++look) (void)probe->look(now);
  counts.busy.push_back({200, 97, 0});
  const auto gpus = probe->look(now);
  ASSERT_EQ(gpus.size(), 2U);
  EXPECT_EQ(gpus[0], (GpuSample{.index = 0,
                                .name = "NVIDIA H200",
                                .busy = 0.97,
                                .memory_busy = 0.4,
                                .memory_bytes = 600,
                                .memory_total_bytes = 1000,
                                .watts = 512.5,
                                .joules = 9.5,
                                .sm_mhz = 1755,
                                .sm_max_mhz = 1980,
                                .memory_mhz = 3201,
                                .celsius = 61,
                                .throttled_by = {"power cap", "thermal"},
                                .pcie_rx_bytes_per_s = 2e6,
                                .pcie_tx_bytes_per_s = 3e4}));
  EXPECT_EQ(gpus[1].name, "NVIDIA T4");
  EXPECT_EQ(gpus[1].joules, std::nullopt);
  EXPECT_THAT(gpus[1].throttled_by, IsEmpty());  // idle is not throttling
  EXPECT_THAT(probe->unavailable(),
              ElementsAre(testing::Pair("gpu joules", "NVML: Not Supported")));
}

TEST(NvmlProbe, BusyIsTheMeanOfTheDriversSamplesSinceThePreviousLook) {
  auto probe = NvmlProbe::open(two_gpus());
  ASSERT_TRUE(probe.ok());
  const auto busy = [&] { return probe->look().front().busy; };
  counts.busy = {{100, 90, 0}, {200, 90, 0}};
  EXPECT_EQ(busy(), std::nullopt);  // before the run
  EXPECT_EQ(busy(), std::nullopt);  // no new sample: not known, which is not 0
  counts.busy = {{200, 90, 0}, {300, 0, 0}, {400, 50, 0}};
  EXPECT_EQ(busy(), 0.25);
  EXPECT_EQ(busy(), std::nullopt);
}

TEST(NvmlProbe, MeasuresPcieOncePerSampleAndPeriodically) {
  auto probe = NvmlProbe::open(two_gpus());
  ASSERT_TRUE(probe.ok());
  counts.pcie = 0;
  const auto begin = NvmlProbe::Clock::now();
  (void)probe->look(begin);
  EXPECT_EQ(counts.pcie, 1);
  for (int look = 1; look < 10; ++look) (void)probe->look(begin + milliseconds(1000 * look));
  EXPECT_EQ(counts.pcie, 4);
  (void)probe->look(begin + milliseconds(10000));
  EXPECT_EQ(counts.pcie, 5);
}

TEST(NvmlProbe, ReportsAFunctionThatTheDriverLacks) {
  NvmlApi api = two_gpus();
  api.pcie_throughput = nullptr;
  api.samples = nullptr;
  auto probe = NvmlProbe::open(api);
  ASSERT_TRUE(probe.ok());
  const auto gpus = probe->look();
  EXPECT_EQ(gpus[0].pcie_rx_bytes_per_s, std::nullopt);
  EXPECT_EQ(gpus[0].busy, std::nullopt);
  EXPECT_THAT(probe->unavailable().at("gpu busy"), HasSubstr("not supported by this driver"));
}

TEST(NvmlProbe, NoGpuOrNoDriverIsUnavailable) {
  NvmlApi api = two_gpus();
  api.device_count = [](unsigned* count) { return *count = 0, 0; };
  EXPECT_EQ(NvmlProbe::open(api).error().code, ErrorCode::unavailable);
  api.init = [] { return 9; };
  EXPECT_EQ(NvmlProbe::open(api).error().message, "NVML: Driver Not Loaded");
}

TEST(NvmlProbe, ShutsTheLibraryDownAsOftenAsItStartsIt) {
  counts.sessions = 0;
  {
    auto probe = NvmlProbe::open(two_gpus());
    EXPECT_EQ(counts.sessions, 1);
    const NvmlProbe moved(*std::move(probe));
    EXPECT_EQ(counts.sessions, 1);
  }
  EXPECT_EQ(counts.sessions, 0);
}

TEST(NvmlProbe, CountsOthersThatComputedSinceTheLastSample) {
  NvmlApi api = two_gpus();
  api.process_utilization = [](NvmlApi::Device, NvmlApi::ProcessUse* uses, unsigned* count,
                               unsigned long long since) {
    // 7 is the run; 8 only uses memory; 9 computes and is reported twice.
    uses[0] = {7, since + 1, 90, 0, 0, 0};
    uses[1] = {8, since + 2, 0, 5, 0, 0};
    uses[2] = {9, since + 3, 40, 0, 0, 0};
    uses[3] = {9, since + 4, 50, 0, 0, 0};
    return *count = 4, 0;
  };
  auto probe = NvmlProbe::open(api);
  ASSERT_TRUE(probe.ok());
  const auto now = NvmlProbe::Clock::now();
  const auto is_other = [](std::int64_t pid) { return pid != 7; };
  EXPECT_EQ(probe->look(now, is_other)[0].other_processes, std::nullopt);  // from before the probe
  EXPECT_EQ(probe->look(now, is_other)[0].other_processes, 1);
  EXPECT_EQ(probe->look(now)[0].other_processes, std::nullopt);  // unknown whose they are
}

}  // namespace
}  // namespace tacho
