#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// One sample of one GPU.
struct GpuSample {
  std::int64_t index = 0;
  std::string name;
  // Share of the time since the previous sample in which a kernel ran; absent in the first sample
  // and if the driver has not measured since.
  std::optional<double> busy = {};
  double memory_busy = 0;  // share of the driver's last period in which memory was used
  std::int64_t memory_bytes = 0;
  std::int64_t memory_total_bytes = 0;
  double watts = 0;
  std::optional<double> joules;  // since the driver was loaded
  double sm_mhz = 0;
  double sm_max_mhz = 0;
  double memory_mhz = 0;
  double celsius = 0;
  std::vector<std::string> throttled_by;  // "power cap", "thermal"; empty: not throttled
  std::optional<double> pcie_rx_bytes_per_s;
  std::optional<double> pcie_tx_bytes_per_s;
  std::optional<std::int64_t> other_processes = {};  // computing on it, not of the run
  bool operator==(const GpuSample&) const = default;
};

// One sample of all processes of a run. Counters start with the run and include processes that have
// ended.
struct UsageSample {
  double unix_seconds = 0;
  std::int64_t processes = 0;
  std::int64_t threads = 0;
  double user_s = 0;
  double system_s = 0;
  std::int64_t resident_bytes = 0;
  // The highest sum sampled, or the high-water mark of a single process. Shared pages count in each
  // process.
  std::int64_t peak_resident_bytes = 0;
  std::int64_t swapped_bytes = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  std::optional<std::int64_t> read_bytes;  // from and to storage; absent if the system hides it
  std::optional<std::int64_t> write_bytes;
  std::optional<std::int64_t> read_chars;  // by read() and write(), cached or not
  std::optional<std::int64_t> write_chars;
  std::optional<std::int64_t> net_rx_bytes;  // of the network namespace, without loopback
  std::optional<std::int64_t> net_tx_bytes;
  std::optional<double> throttled_s;    // by the cgroup's CPU quota, summed over processors
  std::optional<double> cpu_stalled_s;  // pressure stall: some task waited
  std::optional<double> memory_stalled_s;
  std::optional<double> io_stalled_s;
  std::optional<double> waited_s;  // runnable threads of the run waited for a processor, summed
  std::optional<double> others_s;  // CPU time of all other programs of the machine
  std::optional<double> stolen_s;  // by the hypervisor, summed over processors
  std::vector<GpuSample> gpus;
  bool operator==(const UsageSample&) const = default;
};

// CPU time of one thread, at the end of the run.
struct ThreadUsage {
  std::string name;
  std::int64_t process = 0;
  double cpu_s = 0;
  std::optional<double> waited_s = {};  // runnable, waiting for a processor
  bool operator==(const ThreadUsage&) const = default;
};

// Values that do not change during a run, or are known only at its end.
struct UsageFacts {
  double interval_s = 0;                        // between samples, on average
  std::int64_t cores = 0;                       // available to the run
  std::optional<std::int64_t> processors = {};  // of the machine
  std::int64_t memory_limit_bytes = 0;
  std::vector<ThreadUsage> threads;        // the busiest ones, in descending order
  std::map<std::string, double> hardware;  // counters: "cycles", "instructions", "llc_misses"
  std::map<std::string, std::string> unavailable;  // reason by quantity that was not measured
  double sampler_cpu_s = 0;                        // CPU time of the sampler
  bool operator==(const UsageFacts&) const = default;
};

std::string to_line(const UsageSample& sample);
std::string to_line(const UsageFacts& facts);

// The content of `usage.jsonl` in a run's folder: samples, and facts at the end.
struct UsageLog {
  std::vector<UsageSample> samples;
  std::optional<UsageFacts> facts;
};
// Ignores a truncated last line; any other damage is an error that names the line.
Result<UsageLog> usage_from_text(std::string_view text);

}  // namespace tacho
