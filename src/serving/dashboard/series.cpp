#include "serving/dashboard/series.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/record/usage_rates.h"

namespace tacho::serve {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

double rate(const std::optional<std::int64_t>& before, const std::optional<std::int64_t>& now,
            double seconds) {
  if (!before || !now) return kNone;
  return static_cast<double>(*now - *before) / seconds;
}

bool all_missing(const std::vector<double>& values) {
  return std::ranges::all_of(values, [](double value) { return std::isnan(value); });
}

void add_gpu(UsageSeries& series, const GpuSample& sample) {
  auto at = std::ranges::find(series.gpus, sample.index, &UsageSeries::Gpu::index);
  if (at == series.gpus.end()) {
    series.gpus.push_back({.index = sample.index, .name = sample.name});
    at = std::prev(series.gpus.end());
  }
  // A GPU that appears later, or is not reported for a while, has gaps.
  const std::size_t before = series.unix_seconds.size() - 1;
  for (auto* values : {&at->busy, &at->memory_bytes, &at->watts, &at->sm_mhz, &at->celsius}) {
    values->resize(before, kNone);
  }
  at->busy.push_back(sample.busy.value_or(kNone));
  at->memory_bytes.push_back(static_cast<double>(sample.memory_bytes));
  at->watts.push_back(sample.watts);
  at->sm_mhz.push_back(sample.sm_mhz);
  at->celsius.push_back(sample.celsius);
}

}  // namespace

Buckets bucketed(std::span<const double> values, std::size_t most) {
  Buckets buckets;
  if (values.empty()) return buckets;
  buckets.width = (values.size() + most - 1) / most;
  for (std::size_t begin = 0; begin < values.size(); begin += buckets.width) {
    const auto part = values.subspan(begin, std::min(buckets.width, values.size() - begin));
    double low = kNone;
    double high = kNone;
    double sum = 0;
    int count = 0;
    for (const double value : part) {
      if (!std::isfinite(value)) continue;
      low = count == 0 ? value : std::min(low, value);
      high = count == 0 ? value : std::max(high, value);
      sum += value;
      ++count;
    }
    buckets.low.push_back(low);
    buckets.high.push_back(high);
    buckets.mean.push_back(count == 0 ? kNone : sum / count);
  }
  return buckets;
}

Json numbers_json(std::span<const double> values) {
  Json list = Json::array();
  for (const double value : values) {
    list.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
  }
  return list;
}

Json buckets_json(const Buckets& buckets) {
  if (buckets.width == 1) return {{"mean", numbers_json(buckets.mean)}};
  return {{"low", numbers_json(buckets.low)},
          {"mean", numbers_json(buckets.mean)},
          {"high", numbers_json(buckets.high)}};
}

UsageSeries usage_series(std::span<const UsageSample> samples, std::int64_t cores_allowed) {
  UsageSeries series;
  std::size_t last = 0;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const UsageSample& before = samples[last];
    const UsageSample& now = samples[i];
    const auto cores = cores_between(before, now, cores_allowed);
    if (!cores) continue;
    last = i;
    const double seconds = now.unix_seconds - before.unix_seconds;
    series.unix_seconds.push_back(now.unix_seconds);
    series.cores.push_back(*cores);
    series.resident_bytes.push_back(static_cast<double>(now.resident_bytes));
    series.read_bytes_per_s.push_back(rate(before.read_bytes, now.read_bytes, seconds));
    series.write_bytes_per_s.push_back(rate(before.write_bytes, now.write_bytes, seconds));
    series.threads.push_back(static_cast<double>(now.threads));
    for (const GpuSample& gpu : now.gpus) add_gpu(series, gpu);
  }
  for (auto* values : {&series.read_bytes_per_s, &series.write_bytes_per_s}) {
    if (all_missing(*values)) values->clear();
  }
  return series;
}

Json usage_series_json(const UsageSeries& series, std::size_t most) {
  const auto thin = [&](const std::vector<double>& values) {
    return buckets_json(bucketed(values, most));
  };
  Json json = {{"unix_seconds", numbers_json(bucketed(series.unix_seconds, most).mean)},
               {"cores", thin(series.cores)},
               {"resident_bytes", thin(series.resident_bytes)},
               {"threads", thin(series.threads)}};
  if (!series.read_bytes_per_s.empty()) json["read_bytes_per_s"] = thin(series.read_bytes_per_s);
  if (!series.write_bytes_per_s.empty()) json["write_bytes_per_s"] = thin(series.write_bytes_per_s);
  json["gpus"] = Json::array();
  for (UsageSeries::Gpu gpu : series.gpus) {
    for (auto* values : {&gpu.busy, &gpu.memory_bytes, &gpu.watts, &gpu.sm_mhz, &gpu.celsius}) {
      values->resize(series.unix_seconds.size(), kNone);
    }
    json["gpus"].push_back({{"index", gpu.index},
                            {"name", gpu.name},
                            {"busy", thin(gpu.busy)},
                            {"memory_bytes", thin(gpu.memory_bytes)},
                            {"watts", thin(gpu.watts)},
                            {"sm_mhz", thin(gpu.sm_mhz)},
                            {"celsius", thin(gpu.celsius)}});
  }
  return json;
}

}  // namespace tacho::serve
