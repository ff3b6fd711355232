#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/record/usage.h"

namespace tacho {

// Usage of one GPU, over all samples of a run.
struct GpuSummary {
  std::int64_t index = 0;
  std::string name;
  std::optional<double> mean_busy;
  std::optional<double> max_busy;
  double mean_memory_busy = 0;
  std::int64_t mean_memory_bytes = 0;
  std::int64_t max_memory_bytes = 0;
  std::int64_t memory_total_bytes = 0;
  double mean_watts = 0;
  double joules = 0;  // from the energy counter of the GPU, or watts over time without one
  double mean_sm_mhz = 0;
  double sm_share_of_max = 0;  // 0 if the highest clock is unknown
  double max_celsius = 0;
  std::map<std::string, double> throttled_by;  // share of the samples, by reason
  std::optional<double> mean_pcie_rx_bytes_per_s;
  std::optional<double> mean_pcie_tx_bytes_per_s;
};

// Usage of a run, from its samples. Totals count from the start of the run; rates and shares refer
// to the time between the first and the last sample, and are 0 if there is none.
struct UsageSummary {
  double seconds = 0;
  double mean_cores = 0;  // CPU time per second
  double max_cores = 0;   // in the busiest second; clock ticks are too coarse for shorter periods
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
  std::optional<double> throttled_share;  // at most 1, even if several processors wait at once
  std::optional<double> cpu_stalled_share;
  std::optional<double> memory_stalled_share;
  std::optional<double> io_stalled_share;
  std::optional<double> waited_share;  // of the CPU time that was requested
  std::optional<double> others_share;  // of the CPU time of the machine
  std::vector<GpuSummary> gpus;
};

UsageSummary summarise(const UsageLog& log);

}  // namespace tacho
