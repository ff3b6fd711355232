#include "record/usage_figures.h"

#include <algorithm>

#include "record/metric.h"

namespace tacho {

std::map<std::string, double> figures_of(const UsageSummary& usage) {
  std::map<std::string, double> figures;
  const auto add = [&figures](const Metric& metric, double value) {
    figures.emplace(metric.key, value);
  };
  add(metric::kCores, usage.mean_cores);
  add(metric::kTreeMemory, static_cast<double>(usage.peak_resident_bytes));
  if (usage.read_bytes) add(metric::kReadBytes, static_cast<double>(*usage.read_bytes));
  if (usage.write_bytes) add(metric::kWriteBytes, static_cast<double>(*usage.write_bytes));
  if (usage.throttled_share) add(metric::kThrottled, *usage.throttled_share);
  if (usage.waited_share) add(metric::kWaited, *usage.waited_share);
  if (usage.others_share) add(metric::kOthers, *usage.others_share);
  double busy = 0;
  double bytes = 0;
  double joules = 0;
  for (const GpuSummary& gpu : usage.gpus) {
    busy += gpu.mean_busy / static_cast<double>(usage.gpus.size());
    bytes = std::max(bytes, static_cast<double>(gpu.max_memory_bytes));
    joules += gpu.joules;
  }
  if (usage.gpus.empty()) return figures;
  add(metric::kGpuBusy, busy);
  add(metric::kGpuMemory, bytes);
  add(metric::kGpuJoules, joules);
  return figures;
}

}  // namespace tacho
