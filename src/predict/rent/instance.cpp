#include "predict/rent/instance.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <set>

#include "base/csv.h"
#include "base/csv_table.h"

namespace tacho {
namespace {

constexpr std::array<std::string_view, 12> kInstanceColumns = {
    "cloud",      "region",       "instance",        "gpu",        "gpus", "vcpus",
    "memory_gib", "network_gbps", "on_demand_usd_h", "spot_usd_h", "date", "source"};

// Accepts "2026-08-22" if the day exists.
bool is_date(std::string_view text) {
  const auto digits = [&](std::size_t from, std::size_t count) {
    int value = 0;
    for (const char c : text.substr(from, count)) {
      if (c < '0' || c > '9') return -1;
      value = value * 10 + (c - '0');
    }
    return value;
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  const int year = digits(0, 4);
  const int month = digits(5, 2);
  const int day = digits(8, 2);
  if (year < 2000 || month < 1 || day < 1) return false;
  return std::chrono::year_month_day(std::chrono::year(year),
                                     std::chrono::month(static_cast<unsigned>(month)),
                                     std::chrono::day(static_cast<unsigned>(day)))
      .ok();
}

struct Problem {
  std::string_view column;
  std::string_view what;
};

std::optional<Problem> problem_of(const Instance& instance) {
  constexpr double kHighestPrice = 1e5;
  if (instance.name.empty()) return Problem{"instance", "is empty; give it a name"};
  if (instance.gpus < 0 || instance.gpus > 1024)
    return Problem{"gpus", "must be between 0 and 1024"};
  if (instance.gpu.empty() != (instance.gpus == 0)) {
    return Problem{"gpu", "give either both the name and the number of GPUs or neither"};
  }
  if (!(instance.vcpus > 0 && instance.vcpus < 1e5)) return Problem{"vcpus", "must be above 0"};
  if (!(instance.memory_gib > 0 && instance.memory_gib < 1e6)) {
    return Problem{"memory_gib", "must be above 0"};
  }
  const double network = instance.network_gbps.value_or(1);
  if (!(network > 0 && network < 1e6)) return Problem{"network_gbps", "must be above 0, or empty"};
  if (!(instance.on_demand_usd_h > 0 && instance.on_demand_usd_h < kHighestPrice)) {
    return Problem{"on_demand_usd_h", "must be above 0 and below 100,000 dollars per hour"};
  }
  const double spot = instance.spot_usd_h.value_or(1);
  if (!(spot > 0 && spot < kHighestPrice)) {
    return Problem{"spot_usd_h", "must be above 0 and below 100,000 dollars per hour, or empty"};
  }
  if (!is_date(instance.date)) return Problem{"date", "is not a valid date such as 2026-08-22"};
  return std::nullopt;
}

Result<Instance> instance_in(const CsvTable& table, std::size_t row) {
  CsvRow reader(table, row);
  Instance instance;
  reader.read("cloud", instance.cloud);
  reader.read("region", instance.region);
  reader.read("instance", instance.name);
  reader.read_optional("gpu", instance.gpu);
  reader.read("gpus", instance.gpus);
  reader.read("vcpus", instance.vcpus);
  reader.read("memory_gib", instance.memory_gib);
  reader.read_optional("network_gbps", instance.network_gbps);
  reader.read("on_demand_usd_h", instance.on_demand_usd_h);
  reader.read_optional("spot_usd_h", instance.spot_usd_h);
  reader.read("date", instance.date);
  reader.read("source", instance.source);
  TACHO_CHECK(reader.finish());
  if (const auto problem = problem_of(instance)) reader.refuse(problem->column, problem->what);
  TACHO_CHECK(reader.finish());
  return instance;
}

}  // namespace

Result<void> check(const Instance& instance) {
  if (const auto problem = problem_of(instance)) {
    return Error{ErrorCode::usage, fmt::format("{}: {}", problem->column, problem->what)};
  }
  return {};
}

Result<std::vector<Instance>> read_instances(std::string_view csv) {
  TACHO_TRY(table, CsvTable::parse(csv, kInstanceColumns));
  std::vector<Instance> instances;
  std::set<std::string> seen;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    TACHO_TRY(instance, instance_in(table, row));
    // Some clouds sell GPUs separately, so one instance occurs with several.
    const auto key = fmt::format("{}\n{}\n{}\n{}\n{}", instance.cloud, instance.region,
                                 instance.name, instance.gpu, instance.gpus);
    if (!seen.insert(key).second) {
      CsvRow reader(table, row);
      reader.refuse("instance",
                    fmt::format("{} in {} occurs twice", instance.name, instance.region));
      return reader.finish().error();
    }
    instances.push_back(std::move(instance));
  }
  return instances;
}

std::string instances_csv(std::span<const Instance> instances) {
  std::string text = csv_line({kInstanceColumns.begin(), kInstanceColumns.end()});
  const auto number = [](const std::optional<double>& value) {
    return value ? csv_number(*value) : std::string();
  };
  for (const Instance& one : instances) {
    text +=
        csv_line({one.cloud, one.region, one.name, one.gpu, std::to_string(one.gpus),
                  csv_number(one.vcpus), csv_number(one.memory_gib), number(one.network_gbps),
                  csv_number(one.on_demand_usd_h), number(one.spot_usd_h), one.date, one.source});
  }
  return text;
}

}  // namespace tacho
