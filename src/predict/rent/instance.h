#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// A machine for rent in one region, with its price on a certain day. An own machine has the cloud
// "own".
struct Instance {
  std::string cloud;
  std::string region;
  std::string name;
  std::string gpu;  // as in the GPU catalog; "" without one
  std::int64_t gpus = 0;
  double vcpus = 0;
  double memory_gib = 0;
  std::optional<double> network_gbps;
  double on_demand_usd_h = 0;
  std::optional<double> spot_usd_h;
  std::string date;    // of the price, for example "2026-08-22"
  std::string source;  // publisher of the price
  bool operator==(const Instance&) const = default;
};

inline constexpr std::string_view kOwnCloud = "own";

// Strict: requires the columns of data/catalog/instances.csv, positive prices, valid dates, and no
// instance twice in a region.
Result<std::vector<Instance>> read_instances(std::string_view csv);
std::string instances_csv(std::span<const Instance> instances);

Result<void> check(const Instance& instance);

}  // namespace tacho
