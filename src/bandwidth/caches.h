#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/units.h"

namespace tacho::bandwidth {

struct CacheLevel {
  std::string name;      // "L1"
  Bytes size;            // of one such cache
  std::int64_t sharers;  // processors that share one
  bool operator==(const CacheLevel&) const = default;
};

// The data caches of the first processor, the smallest first, as /sys tells them under `root`; none
// where it does not.
std::vector<CacheLevel> read_caches(const std::filesystem::path& root = "/");

// Processors of each node of memory that has any; one list where there is but one node.
std::vector<std::vector<int>> read_nodes(const std::filesystem::path& root = "/");

}  // namespace tacho::bandwidth
