#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "record/usage.h"

namespace tacho {

// What a run used of one GPU, over all its samples.
struct GpuSummary {
  std::int64_t index = 0;
  std::string name;
  double mean_busy = 0;
  double max_busy = 0;
  double mean_memory_busy = 0;
  std::int64_t mean_memory_bytes = 0;
  std::int64_t max_memory_bytes = 0;
  std::int64_t memory_total_bytes = 0;
  double mean_watts = 0;
  double joules = 0;  // by the GPU's own counter, or watts over time where it has none
  double mean_sm_mhz = 0;
  double sm_share_of_max = 0;  // 0 where the highest clock is not told
  double max_celsius = 0;
  std::map<std::string, double> throttled_by;  // share of the samples in which each held
  std::optional<double> mean_pcie_rx_bytes_per_s;
  std::optional<double> mean_pcie_tx_bytes_per_s;
};

// What a run used, from its samples. Totals count from the run's begin; rates and shares are by the
// time between the first sample and the last, and 0 if that is none.
struct UsageSummary {
  double seconds = 0;
  double mean_cores = 0;  // processor time by time
  double max_cores = 0;   // over any second; shorter moments are lost in the clock's ticks
  double user_s = 0;
  double system_s = 0;
  std::int64_t mean_resident_bytes = 0;
  std::int64_t peak_resident_bytes = 0;
  std::int64_t peak_swapped_bytes = 0;
  std::int64_t peak_processes = 0;
  std::int64_t peak_threads = 0;
  std::int64_t minor_faults = 0;
  std::int64_t major_faults = 0;
  std::int64_t voluntary_switches = 0;
  std::int64_t involuntary_switches = 0;
  std::optional<std::int64_t> read_bytes;
  std::optional<std::int64_t> write_bytes;
  std::optional<std::int64_t> read_chars;
  std::optional<std::int64_t> write_chars;
  std::optional<double> read_bytes_per_s;
  std::optional<double> write_bytes_per_s;
  std::optional<std::int64_t> net_rx_bytes;
  std::optional<std::int64_t> net_tx_bytes;
  std::optional<double> throttled_share;  // at most 1, though several processors wait at a time
  std::optional<double> cpu_stalled_share;
  std::optional<double> memory_stalled_share;
  std::optional<double> io_stalled_share;
  std::optional<double> waited_share;  // of the processor time that was wanted
  std::optional<double> others_share;  // of the machine's processors
  std::vector<GpuSummary> gpus;
};

UsageSummary summarise(const UsageLog& log);

}  // namespace tacho
