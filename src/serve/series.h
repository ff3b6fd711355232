#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "base/json_object.h"
#include "record/usage.h"

namespace tacho::serve {

// Many values in a few buckets of the same width, so that no peak is lost: the lowest, the mean and
// the highest of each. Values that are not finite are left out of their bucket.
struct Buckets {
  std::size_t width = 1;  // values in each; the last may have fewer
  std::vector<double> low;
  std::vector<double> mean;  // not-a-number where a bucket has none
  std::vector<double> high;
};
Buckets bucketed(std::span<const double> values, std::size_t most);

// {"low": […], "mean": […], "high": […]}, or only "mean" where a bucket holds one value.
Json buckets_json(const Buckets& buckets);
// Numbers as JSON has them: what is not finite is null.
Json numbers_json(std::span<const double> values);

// How a run used the machine between each two looks: rates out of counters.
struct UsageSeries {
  std::vector<double> unix_seconds;
  std::vector<double> cores;
  std::vector<double> resident_bytes;
  std::vector<double> read_bytes_per_s;  // empty where the system does not tell
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
// Each entry covers the time since the entry before, or since the first sample. Samples that come
// too soon after another to tell a rate are left out. `cores_allowed`: 0 where it is not known.
UsageSeries usage_series(std::span<const UsageSample> samples, std::int64_t cores_allowed = 0);
Json usage_series_json(const UsageSeries& series, std::size_t most);

}  // namespace tacho::serve
