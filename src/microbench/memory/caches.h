#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/units.h"

namespace tacho::bandwidth {

struct CacheLevel {
  std::string name;      // "L1"
  Bytes size;            // of one cache
  std::int64_t sharers;  // logical CPUs that share one cache
  bool operator==(const CacheLevel&) const = default;
};

// Reads the data caches of CPU 0 from /sys under `root`, smallest first. Returns none if /sys does
// not list them.
std::vector<CacheLevel> read_caches(const std::filesystem::path& root = "/");

// Returns the CPUs of each NUMA node that has CPUs.
std::vector<std::vector<int>> read_nodes(const std::filesystem::path& root = "/");

}  // namespace tacho::bandwidth
