#include "core/record/usage_summary.h"

#include <algorithm>
#include <cmath>

#include "core/record/usage_rates.h"

namespace tacho {
namespace {

using Samples = std::vector<UsageSample>;

double per_second(double amount, double seconds) { return seconds > 0 ? amount / seconds : 0; }

// Returns the cores in use in the busiest window. A window is the shortest series of samples that
// lasts `window` seconds.
double busiest(const Samples& samples, double window, std::int64_t cores) {
  double most = 0;
  std::size_t begin = 0;
  for (std::size_t end = 1; end < samples.size(); ++end) {
    const auto lasts = [&](std::size_t from) {
      return samples[end].unix_seconds - samples[from].unix_seconds;
    };
    while (begin + 1 < end && lasts(begin + 1) >= window) ++begin;
    if (lasts(begin) < window) continue;
    most = std::max(most, cores_between(samples[begin], samples[end], cores).value_or(0));
  }
  return most;
}

// Returns the last known value of a counter, which may become unavailable before the run ends.
template <class T>
std::optional<T> last_of(const Samples& samples, std::optional<T> UsageSample::*counter) {
  std::optional<T> last;
  for (const UsageSample& sample : samples) {
    if (sample.*counter) last = sample.*counter;
  }
  return last;
}

template <class T>
T most_of(const Samples& samples, T UsageSample::*value) {
  T most{};
  for (const UsageSample& sample : samples) most = std::max(most, sample.*value);
  return most;
}

std::optional<double> share_of(const Samples& samples, std::optional<double> UsageSample::*stalled,
                               double seconds) {
  const auto total = last_of(samples, stalled);
  if (!total) return std::nullopt;
  return std::clamp(per_second(*total, seconds), 0.0, 1.0);
}

std::optional<double> rate_of(const std::optional<std::int64_t>& total, double seconds) {
  if (!total) return std::nullopt;
  return per_second(static_cast<double>(*total), seconds);
}

// One sample of one GPU with its time.
struct TimedGpuSample {
  double unix_seconds;
  const GpuSample* gpu;
};

template <class Value>
double mean_of(const std::vector<TimedGpuSample>& samples, Value GpuSample::*value) {
  double sum = 0;
  for (const TimedGpuSample& sample : samples) sum += static_cast<double>(sample.gpu->*value);
  return sum / static_cast<double>(samples.size());
}

std::optional<double> mean_of(const std::vector<TimedGpuSample>& samples,
                              std::optional<double> GpuSample::*value) {
  double sum = 0;
  int count = 0;
  for (const TimedGpuSample& sample : samples) {
    if (!(sample.gpu->*value)) continue;
    sum += *(sample.gpu->*value);
    ++count;
  }
  return count > 0 ? std::optional(sum / count) : std::nullopt;
}

template <class Value>
Value most_of(const std::vector<TimedGpuSample>& samples, Value GpuSample::*value) {
  Value most{};
  for (const TimedGpuSample& sample : samples) most = std::max(most, sample.gpu->*value);
  return most;
}

double joules_of(const std::vector<TimedGpuSample>& samples) {
  const auto& first = samples.front().gpu->joules;
  const auto& last = samples.back().gpu->joules;
  if (first && last && samples.size() > 1) return *last - *first;
  double sum = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double seconds = samples[i].unix_seconds - samples[i - 1].unix_seconds;
    sum += seconds * (samples[i].gpu->watts + samples[i - 1].gpu->watts) / 2;
  }
  return sum;
}

GpuSummary summarise(const std::vector<TimedGpuSample>& samples) {
  const GpuSample& last = *samples.back().gpu;
  GpuSummary summary;
  summary.index = last.index;
  summary.name = last.name;
  summary.mean_busy = mean_of(samples, &GpuSample::busy);
  summary.max_busy = most_of(samples, &GpuSample::busy);  // an absent value is the lowest
  summary.mean_memory_busy = mean_of(samples, &GpuSample::memory_busy);
  summary.mean_memory_bytes = std::llround(mean_of(samples, &GpuSample::memory_bytes));
  summary.max_memory_bytes = most_of(samples, &GpuSample::memory_bytes);
  summary.memory_total_bytes = last.memory_total_bytes;
  summary.mean_watts = mean_of(samples, &GpuSample::watts);
  summary.joules = joules_of(samples);
  summary.mean_sm_mhz = mean_of(samples, &GpuSample::sm_mhz);
  if (last.sm_max_mhz > 0) summary.sm_share_of_max = summary.mean_sm_mhz / last.sm_max_mhz;
  summary.max_celsius = most_of(samples, &GpuSample::celsius);
  for (const TimedGpuSample& sample : samples) {
    for (const std::string& reason : sample.gpu->throttled_by) ++summary.throttled_by[reason];
  }
  for (auto& [reason, share] : summary.throttled_by) share /= static_cast<double>(samples.size());
  summary.mean_pcie_rx_bytes_per_s = mean_of(samples, &GpuSample::pcie_rx_bytes_per_s);
  summary.mean_pcie_tx_bytes_per_s = mean_of(samples, &GpuSample::pcie_tx_bytes_per_s);
  return summary;
}

std::vector<GpuSummary> summarise_gpus(const Samples& samples) {
  std::map<std::int64_t, std::vector<TimedGpuSample>> by_index;
  for (const UsageSample& sample : samples) {
    for (const GpuSample& gpu : sample.gpus) {
      by_index[gpu.index].push_back({sample.unix_seconds, &gpu});
    }
  }
  std::vector<GpuSummary> summaries;
  for (const auto& [index, gpu_samples] : by_index) summaries.push_back(summarise(gpu_samples));
  return summaries;
}

std::int64_t mean_resident(const Samples& samples) {
  double sum = 0;
  for (const UsageSample& sample : samples) sum += static_cast<double>(sample.resident_bytes);
  return std::llround(sum / static_cast<double>(samples.size()));
}

}  // namespace

UsageSummary summarise(const UsageLog& log) {
  UsageSummary summary;
  const Samples& samples = log.samples;
  if (samples.empty()) return summary;
  const UsageSample& first = samples.front();
  const UsageSample& last = samples.back();
  const double seconds = std::max(0.0, last.unix_seconds - first.unix_seconds);

  summary.seconds = seconds;
  const std::int64_t cores = log.facts ? log.facts->cores : 0;
  summary.mean_cores = cores_between(first, last, cores).value_or(0);
  summary.max_cores = busiest(samples, std::min(1.0, seconds), cores);
  summary.user_s = last.user_s;
  summary.system_s = last.system_s;
  summary.mean_resident_bytes = mean_resident(samples);
  summary.peak_resident_bytes = most_of(samples, &UsageSample::peak_resident_bytes);
  summary.peak_swapped_bytes = most_of(samples, &UsageSample::swapped_bytes);
  summary.peak_processes = most_of(samples, &UsageSample::processes);
  summary.peak_threads = most_of(samples, &UsageSample::threads);
  summary.minor_faults = last.minor_faults;
  summary.major_faults = last.major_faults;
  summary.voluntary_switches = last.voluntary_switches;
  summary.involuntary_switches = last.involuntary_switches;
  summary.read_bytes = last_of(samples, &UsageSample::read_bytes);
  summary.write_bytes = last_of(samples, &UsageSample::write_bytes);
  summary.read_chars = last_of(samples, &UsageSample::read_chars);
  summary.write_chars = last_of(samples, &UsageSample::write_chars);
  summary.read_bytes_per_s = rate_of(summary.read_bytes, seconds);
  summary.write_bytes_per_s = rate_of(summary.write_bytes, seconds);
  summary.net_rx_bytes = last_of(samples, &UsageSample::net_rx_bytes);
  summary.net_tx_bytes = last_of(samples, &UsageSample::net_tx_bytes);
  summary.throttled_share = share_of(samples, &UsageSample::throttled_s, seconds);
  summary.cpu_stalled_share = share_of(samples, &UsageSample::cpu_stalled_s, seconds);
  summary.memory_stalled_share = share_of(samples, &UsageSample::memory_stalled_s, seconds);
  summary.io_stalled_share = share_of(samples, &UsageSample::io_stalled_s, seconds);
  if (const auto waited = last_of(samples, &UsageSample::waited_s)) {
    summary.waited_share = per_second(*waited, *waited + last.user_s + last.system_s);
  }
  const auto others = last_of(samples, &UsageSample::others_s);
  if (others && log.facts && log.facts->processors) {
    summary.others_share =
        std::min(1.0, per_second(*others, seconds * static_cast<double>(*log.facts->processors)));
  }
  summary.gpus = summarise_gpus(samples);
  return summary;
}

}  // namespace tacho
