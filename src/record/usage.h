#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// One look at one GPU.
struct GpuSample {
  std::int64_t index = 0;
  std::string name;
  double busy = 0;         // share of the last moments in which a kernel ran
  double memory_busy = 0;  // … in which memory was read or written
  std::int64_t memory_bytes = 0;
  std::int64_t memory_total_bytes = 0;
  double watts = 0;
  std::optional<double> joules;  // since the driver was loaded
  double sm_mhz = 0;
  double sm_max_mhz = 0;
  double memory_mhz = 0;
  double celsius = 0;
  std::vector<std::string> throttled_by;  // "power cap", "thermal"; empty: by nothing that counts
  std::optional<double> pcie_rx_bytes_per_s;
  std::optional<double> pcie_tx_bytes_per_s;
  std::optional<std::int64_t> other_processes = {};  // that compute on it and are not the run's
  bool operator==(const GpuSample&) const = default;
};

// One look at a run: all processes of its tree. Counters count from the run's begin and include
// processes that have ended.
struct UsageSample {
  double unix_seconds = 0;
  std::int64_t processes = 0;
  std::int64_t threads = 0;
  double user_s = 0;
  double system_s = 0;
  std::int64_t resident_bytes = 0;
  // The highest sum seen, or one process's own high-water mark. Pages that processes share count in
  // each of them.
  std::int64_t peak_resident_bytes = 0;
  std::int64_t swapped_bytes = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  std::optional<std::int64_t> read_bytes;  // from and to storage; absent where the system hides it
  std::optional<std::int64_t> write_bytes;
  std::optional<std::int64_t> read_chars;  // by read() and write(), cached or not
  std::optional<std::int64_t> write_chars;
  std::optional<std::int64_t> net_rx_bytes;  // of the network namespace, loopback apart
  std::optional<std::int64_t> net_tx_bytes;
  std::optional<double> throttled_s;    // by the cgroup's CPU quota, summed over processors
  std::optional<double> cpu_stalled_s;  // pressure stall: some task waited
  std::optional<double> memory_stalled_s;
  std::optional<double> io_stalled_s;
  std::optional<double> waited_s;  // threads of the run, ready to compute, for a processor; summed
  std::optional<double> others_s;  // processor time of all other programs of the machine
  std::optional<double> stolen_s;  // by the hypervisor, summed over processors
  std::vector<GpuSample> gpus;
  bool operator==(const UsageSample&) const = default;
};

// A thread that computed, by the end.
struct ThreadUsage {
  std::string name;
  std::int64_t process = 0;
  double cpu_s = 0;
  std::optional<double> waited_s = {};  // ready to compute, for a processor
  bool operator==(const ThreadUsage&) const = default;
};

// What cannot change during a run, and what counted only at its end.
struct UsageFacts {
  double interval_s = 0;                        // between samples, on average
  std::int64_t cores = 0;                       // the run may use
  std::optional<std::int64_t> processors = {};  // the machine has
  std::int64_t memory_limit_bytes = 0;
  std::vector<ThreadUsage> threads;        // the busiest first, a few
  std::map<std::string, double> hardware;  // counters: "cycles", "instructions", "llc_misses"
  std::map<std::string, std::string> unavailable;  // what could not be measured, and why
  double sampler_cpu_s = 0;                        // what looking has cost
  bool operator==(const UsageFacts&) const = default;
};

std::string to_line(const UsageSample& sample);
std::string to_line(const UsageFacts& facts);

// The file `usage.jsonl` of a run's folder: samples, and facts at the end.
struct UsageLog {
  std::vector<UsageSample> samples;
  std::optional<UsageFacts> facts;
};
// A last line that was cut off is left out; any other damage is an error that names the line.
Result<UsageLog> usage_from_text(std::string_view text);

}  // namespace tacho
