#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/units.h"
#include "experiments/study/sections.h"

namespace tacho {
namespace {

// Returns "H200" for "NVIDIA H200 NVL": names in the catalog start with it.
std::string model_in(std::string_view gpu) {
  constexpr std::string_view kMaker = "NVIDIA ";
  if (gpu.starts_with(kMaker)) gpu.remove_prefix(kMaker.size());
  return std::string(gpu.substr(0, gpu.find(' ')));
}

bool has_gpu(const Instance& instance, const std::string& model) {
  return instance.gpus > 0 && instance.gpu.substr(0, instance.gpu.find('-')) == model;
}

// Returns the price of the part that the run used: one GPU, or all cores.
double hourly(const Instance& instance) {
  return instance.on_demand_usd_h / static_cast<double>(std::max<std::int64_t>(1, instance.gpus));
}

double memory_gib_of(const RunRecord& record) {
  constexpr double kGib = 1 << 30;
  for (const auto& [metric, value] : metrics_of(record)) {
    if (metric->key == metric::kTreeMemory.key) return value / kGib;
  }
  return 0;
}

const Instance* cheapest_like(const RunRecord& record, const std::vector<Instance>& instances) {
  const Host& host = record.started->host;
  const bool on_gpu = record.order.spec.device == Device::cuda;
  const double memory_gib = memory_gib_of(record);
  const Instance* best = nullptr;
  for (const Instance& one : instances) {
    const bool fits = on_gpu ? has_gpu(one, model_in(host.gpu))
                             : one.gpus == 0 && one.vcpus >= static_cast<double>(host.cores);
    if (one.memory_gib <= memory_gib) continue;
    if (fits && (best == nullptr || hourly(one) < hourly(*best))) best = &one;
  }
  return best;
}

double seconds_of(const RunRecord& record) {
  return record.environment_seconds > 0 ? record.environment_seconds : record.totals.wall_seconds;
}

}  // namespace

std::vector<Block> cost_blocks(const std::vector<PricedTraining>& trainings,
                               const std::vector<Instance>& instances) {
  DocumentTable table{.headings = {{"training", Align::left},
                                   {"time"},
                                   {"cheapest comparable machine", Align::left},
                                   {"$ per hour"},
                                   {"cents"}},
                      .rows = {}};
  std::set<std::string> days;
  for (const PricedTraining& one : trainings) {
    if (!one.record.started) continue;
    const double seconds = seconds_of(one.record);
    std::vector<std::string> row = {one.title, human(Seconds(seconds))};
    if (const Instance* machine = cheapest_like(one.record, instances)) {
      const std::string part =
          machine->gpus > 1 ? fmt::format(", one of {} GPUs", machine->gpus) : "";
      row.push_back(fmt::format("{} {}{}", machine->cloud, machine->name, part));
      row.push_back(fmt::format("{:#.3g}", hourly(*machine)));
      row.push_back(fmt::format("{:#.3g}", 100 * hourly(*machine) * seconds / 3600));
      if (!machine->date.empty()) days.insert(machine->date);
    } else {
      row.insert(row.end(), {"none known", "–", "–"});
    }
    table.rows.push_back(std::move(row));
  }
  const std::string when = days.empty() ? "" : fmt::format(" of {}", fmt::join(days, ", "));
  return {table, Paragraph{fmt::format("On-demand prices{}, without the start of the machine "
                                       "('tacho catalog' lists and updates them).",
                                       when),
                           true}};
}

}  // namespace tacho
