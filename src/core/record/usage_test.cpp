#include "core/record/usage.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/random.h"

namespace tacho {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

UsageSample full_sample() {
  UsageSample sample;
  sample.unix_seconds = 1763214605.25;
  sample.processes = 3;
  sample.threads = 40;
  sample.user_s = 12.5;
  sample.system_s = 0.75;
  sample.resident_bytes = 1 << 20;
  sample.peak_resident_bytes = 3 << 20;
  sample.swapped_bytes = 4096;
  sample.minor_faults = 100;
  sample.major_faults = 2;
  sample.voluntary_switches = 50;
  sample.involuntary_switches = 5;
  sample.read_bytes = 1000;
  sample.write_bytes = 2000;
  sample.read_chars = 3000;
  sample.write_chars = 4000;
  sample.net_rx_bytes = 5000;
  sample.net_tx_bytes = 6000;
  sample.throttled_s = 0.5;
  sample.cpu_stalled_s = 0.25;
  sample.memory_stalled_s = 0.125;
  sample.io_stalled_s = 0;
  sample.waited_s = 1.5;
  sample.others_s = 0.5;
  sample.stolen_s = 0.0625;
  sample.gpus = {{.index = 1,
                  .name = "NVIDIA H200",
                  .busy = 0.97,
                  .memory_busy = 0.5,
                  .memory_bytes = 1 << 30,
                  .memory_total_bytes = std::int64_t{140} << 30,
                  .watts = 512.5,
                  .joules = 99.5,
                  .sm_mhz = 1755,
                  .sm_max_mhz = 1980,
                  .memory_mhz = 3201,
                  .celsius = 61,
                  .throttled_by = {"power cap"},
                  .pcie_rx_bytes_per_s = 1e9,
                  .pcie_tx_bytes_per_s = 2e8,
                  .other_processes = 1}};
  return sample;
}

UsageFacts full_facts() {
  return {.interval_s = 0.1,
          .cores = 8,
          .processors = 16,
          .memory_limit_bytes = std::int64_t{1} << 34,
          .threads = {{"python3", 7, 3.5, 0.25}, {"pt_data (0)", 9, 1.25, {}}},
          .hardware = {{"cycles", 1e12}},
          .unavailable = {{"llc_misses", "no hardware counters"}},
          .sampler_cpu_s = 0.004};
}

const std::string kText =
    to_line(full_sample()) + "\n" + to_line(UsageSample{}) + "\n" + to_line(full_facts()) + "\n";

TEST(UsageLog, ReadsBackWhatWasWritten) {
  const auto log = usage_from_text(kText);
  ASSERT_TRUE(log.ok()) << log.error().message;
  EXPECT_THAT(log->samples, testing::ElementsAre(full_sample(), UsageSample{}));
  EXPECT_EQ(log->facts, full_facts());
}

TEST(UsageLog, LeavesOutAbsentValues) {
  const std::string line = to_line(UsageSample{});
  for (const char* absent :
       {"read_bytes", "net_rx", "throttled", "stalled", "waited", "others", "gpus"}) {
    EXPECT_THAT(line, testing::Not(HasSubstr(absent)));
  }
}

TEST(UsageLog, AnEmptyFileHasNoSamples) {
  const auto log = usage_from_text("");
  ASSERT_TRUE(log.ok());
  EXPECT_THAT(log->samples, SizeIs(0));
  EXPECT_FALSE(log->facts);
}

TEST(UsageLog, IgnoresATruncatedLastLine) {
  for (std::size_t length = 0; length < kText.size(); ++length) {
    const auto log = usage_from_text(std::string_view(kText).substr(0, length));
    ASSERT_TRUE(log.ok()) << "cut at " << length << ": " << log.error().message;
    EXPECT_LE(log->samples.size(), 2U);
  }
}

TEST(UsageLog, ErrorsNameTheLine) {
  const auto why = [](const std::string& line) {
    const auto log = usage_from_text(to_line(UsageSample{}) + "\n" + line + "\n");
    return log.ok() ? "" : log.error().message;
  };
  EXPECT_EQ(why("{broken"), "line 2: not JSON at byte 2");
  EXPECT_EQ(why("{}"), "line 2: usage: expected either 'sample' or 'facts'");
  EXPECT_THAT(why(R"({"sample":{"unix_seconds":1}})"), HasSubstr("'processes': missing"));
  EXPECT_THAT(why(R"({"sample":{"unix_seconds":null}})"), HasSubstr("line 2: sample: "));
  EXPECT_THAT(why(R"({"fact":{}})"), HasSubstr("did you mean 'facts'"));
  std::string gpu = to_line(full_sample());
  gpu.replace(gpu.find("\"busy\":0.97"), 11, "\"busy\":true");
  EXPECT_EQ(why(gpu), "line 2: sample: gpus 1: 'busy': not a number");
}

// Reading a damaged file gives a log or an error.
TEST(UsageLog, SurvivesDamage) {
  Random random(11, 0);
  for (int i = 0; i < 3000; ++i) {
    std::string text = kText;
    for (int hits = 0; hits < 1 + i % 4; ++hits) {
      const auto at = random.below(static_cast<std::int64_t>(text.size()));
      text[static_cast<std::size_t>(at)] = static_cast<char>(random.below(256));
    }
    const auto log = usage_from_text(text);
    if (!log.ok()) {
      EXPECT_THAT(log.error().message, HasSubstr("line "));
    }
  }
}

}  // namespace
}  // namespace tacho
