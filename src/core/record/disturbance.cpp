#include "core/record/disturbance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

namespace tacho {
namespace {

// Shorter periods are too inexact: the counters count clock ticks.
constexpr double kShortestSeconds = 0.2;
// A thread with less than this share of the busiest thread's CPU time does not affect step times.
constexpr double kMuch = 0.25;

constexpr std::array<std::string_view, 4> kFaults = {"hardware slowdown", "thermal",
                                                     "thermal (hardware)", "power brake"};

std::string percent(double share) { return fmt::format("{:.0f} %", 100 * share); }

bool is_slowed(const GpuSample& gpu) {
  return std::any_of(gpu.throttled_by.begin(), gpu.throttled_by.end(), [](const auto& reason) {
    return std::find(kFaults.begin(), kFaults.end(), reason) != kFaults.end();
  });
}

std::vector<Contention::Gpu> gpus_of(const std::vector<UsageSample>& samples) {
  std::map<std::int64_t, Contention::Gpu> gpus;
  std::map<std::int64_t, double> counts;
  for (const UsageSample& sample : samples) {
    for (const GpuSample& gpu : sample.gpus) {
      Contention::Gpu& seen = gpus[gpu.index];
      seen.index = gpu.index;
      if (gpu.other_processes.value_or(0) > 0) ++seen.shared;
      if (is_slowed(gpu)) ++seen.slowed;
      ++counts[gpu.index];
    }
  }
  std::vector<Contention::Gpu> all;
  for (auto& [index, gpu] : gpus) {
    gpu.shared /= counts[index];
    gpu.slowed /= counts[index];
    all.push_back(gpu);
  }
  return all;
}

// Returns the last known value of a counter.
std::optional<double> last_of(const std::vector<UsageSample>& samples,
                              std::optional<double> UsageSample::*counter) {
  const auto last = std::find_if(samples.rbegin(), samples.rend(), [counter](const auto& sample) {
    return (sample.*counter).has_value();
  });
  return last == samples.rend() ? std::nullopt : (*last).*counter;
}

double waited_share(double ran, double waited) {
  return ran + waited > 0 ? waited / (ran + waited) : 0;
}

void add_waiting(const UsageLog& usage, Contention& seen) {
  const UsageSample& last = usage.samples.back();
  seen.waited_s = last_of(usage.samples, &UsageSample::waited_s);
  if (seen.waited_s) seen.ran_s = last.user_s + last.system_s;
  if (!usage.facts || usage.facts->threads.empty()) return;
  const double much = kMuch * usage.facts->threads.front().cpu_s;
  for (const ThreadUsage& thread : usage.facts->threads) {
    if (!thread.waited_s || thread.cpu_s < much) continue;
    if (waited_share(thread.cpu_s, *thread.waited_s) >
        waited_share(seen.ran_s.value_or(0), seen.waited_s.value_or(0))) {
      seen.ran_s = thread.cpu_s;
      seen.waited_s = thread.waited_s;
    }
  }
}

std::optional<std::string> by_others(const Contention& seen) {
  if (!seen.others_s || seen.processors <= 0) return std::nullopt;
  const double all = seen.seconds * static_cast<double>(seen.processors);
  const double took = std::min(1.0, *seen.others_s / all);
  const std::string words = fmt::format("other programs took {} of the processors", percent(took));
  if (!seen.waited_s || !seen.ran_s) {
    return took >= kDisturbing ? std::optional(words) : std::nullopt;
  }
  // Waiting because of a CPU quota is reported separately.
  const double by_quota = seen.throttled_share.value_or(0) * seen.seconds;
  const double waited = std::max(0.0, *seen.waited_s - by_quota);
  const double lost = std::min(waited, *seen.others_s);
  const double wanted = *seen.ran_s + *seen.waited_s;
  if (wanted <= 0 || lost / wanted < kDisturbing) return std::nullopt;
  return fmt::format("{}, and a thread waited {} of its time for one", words,
                     percent(waited / wanted));
}

}  // namespace

Contention contention_of(const UsageLog& usage) {
  Contention seen;
  if (usage.samples.empty()) return seen;
  seen.seconds =
      std::max(0.0, usage.samples.back().unix_seconds - usage.samples.front().unix_seconds);
  if (usage.facts) seen.processors = usage.facts->processors.value_or(0);
  seen.others_s = last_of(usage.samples, &UsageSample::others_s);
  seen.stolen_s = last_of(usage.samples, &UsageSample::stolen_s);
  add_waiting(usage, seen);
  if (const auto throttled = last_of(usage.samples, &UsageSample::throttled_s);
      throttled && seen.seconds > 0) {
    seen.throttled_share = std::clamp(*throttled / seen.seconds, 0.0, 1.0);
  }
  seen.gpus = gpus_of(usage.samples);
  return seen;
}

std::vector<std::string> disturbances(const Contention& seen) {
  std::vector<std::string> reasons;
  if (seen.seconds >= kShortestSeconds) {
    if (auto others = by_others(seen)) reasons.push_back(*std::move(others));
    if (seen.stolen_s && seen.processors > 0) {
      const double stolen = *seen.stolen_s / (seen.seconds * static_cast<double>(seen.processors));
      if (stolen >= kDisturbing) {
        reasons.push_back(fmt::format("the hypervisor gave {} of the processors' time to others",
                                      percent(std::min(1.0, stolen))));
      }
    }
    if (seen.throttled_share.value_or(0) >= kDisturbing) {
      reasons.push_back(
          fmt::format("a CPU quota throttled it {} of the time", percent(*seen.throttled_share)));
    }
  }
  for (const Contention::Gpu& gpu : seen.gpus) {
    if (gpu.shared >= kDisturbing) {
      reasons.push_back(fmt::format("other processes computed on GPU {} {} of the time", gpu.index,
                                    percent(gpu.shared)));
    }
    if (gpu.slowed >= kDisturbing) {
      reasons.push_back(fmt::format("heat or a fault lowered the clocks of GPU {} {} of the time",
                                    gpu.index, percent(gpu.slowed)));
    }
  }
  return reasons;
}

std::string disturbance_text(const std::vector<std::string>& reasons) {
  if (reasons.empty()) return "";
  return fmt::format("{}; its figures are not comparable", fmt::join(reasons, "; "));
}

}  // namespace tacho
