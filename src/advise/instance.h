#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacho {

// A machine one can rent, in one region, at a price of a certain day. One's own machine is of the
// cloud "own".
struct Instance {
  std::string cloud;
  std::string region;
  std::string name;
  std::string gpu;  // as in the catalogue of GPUs; "" without one
  std::int64_t gpus = 0;
  double vcpus = 0;
  double memory_gib = 0;
  std::optional<double> network_gbps;
  double on_demand_usd_h = 0;
  std::optional<double> spot_usd_h;
  std::string date;    // of the price: "2026-08-22"
  std::string source;  // who published it
  bool operator==(const Instance&) const = default;
};

inline constexpr std::string_view kOwnCloud = "own";

// Strict: the columns of data/catalog/instances.csv, prices above 0, dates that are dates, no
// instance twice in a region.
Result<std::vector<Instance>> read_instances(std::string_view csv);
std::string instances_csv(std::span<const Instance> instances);

Result<void> check(const Instance& instance);

}  // namespace tacho
