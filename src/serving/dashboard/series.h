#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "core/record/usage.h"

namespace tacho::serve {

// Values in buckets of equal width, with the minimum, mean and maximum of each, so that no peak is
// lost. Values that are not finite are ignored.
struct Buckets {
  std::size_t width = 1;  // values per bucket; the last may have fewer
  std::vector<double> low;
  std::vector<double> mean;  // NaN for an empty bucket
  std::vector<double> high;
};
Buckets bucketed(std::span<const double> values, std::size_t most);

// {"low": […], "mean": […], "high": […]}, or only "mean" if each bucket has one value.
Json buckets_json(const Buckets& buckets);
// Values that are not finite become null.
Json numbers_json(std::span<const double> values);

// Use of the machine between consecutive samples: rates computed from counters.
struct UsageSeries {
  std::vector<double> unix_seconds;
  std::vector<double> cores;
  std::vector<double> resident_bytes;
  std::vector<double> read_bytes_per_s;  // empty if the system does not report it
  std::vector<double> write_bytes_per_s;
  std::vector<double> threads;
  struct Gpu {
    std::int64_t index = 0;
    std::string name;
    std::vector<double> busy;
    std::vector<double> memory_bytes;
    std::vector<double> watts;
    std::vector<double> sm_mhz;
    std::vector<double> celsius;
  };
  std::vector<Gpu> gpus;
};
// Each entry covers the time since the previous entry, or since the first sample. Samples too close
// to the previous one for a rate are ignored. `cores_allowed`: 0 if unknown.
UsageSeries usage_series(std::span<const UsageSample> samples, std::int64_t cores_allowed = 0);
Json usage_series_json(const UsageSeries& series, std::size_t most);

}  // namespace tacho::serve
