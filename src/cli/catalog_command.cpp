#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <memory>

#include "base/home.h"
#include "base/json_object.h"
#include "base/table.h"
#include "cli/commands.h"
#include "machine/probe/host_probe.h"
#include "predict/rent/catalog.h"
#include "predict/rent/own_steps.h"
#include "predict/speed/gpu_catalog.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

struct CatalogOptions {
  InstanceFilter filter;
  bool all = false;
  bool json = false;
  bool csv = false;
  std::string file;
  bool shipped = false;
  Instance machine;
  double network = 0;
};

constexpr std::size_t kShown = 40;

Json to_json(const std::vector<Instance>& instances) {
  Json list = Json::array();
  for (const Instance& one : instances) {
    Json json = {{"cloud", one.cloud},
                 {"region", one.region},
                 {"instance", one.name},
                 {"gpu", one.gpu},
                 {"gpus", one.gpus},
                 {"vcpus", one.vcpus},
                 {"memory_gib", one.memory_gib},
                 {"on_demand_usd_h", one.on_demand_usd_h},
                 {"date", one.date},
                 {"source", one.source}};
    if (one.network_gbps) json["network_gbps"] = *one.network_gbps;
    if (one.spot_usd_h) json["spot_usd_h"] = *one.spot_usd_h;
    list.push_back(std::move(json));
  }
  return list;
}

std::string for_people(const std::vector<Instance>& instances, const Terminal& terminal) {
  Table table({{"cloud", Align::left},
               {"instance", Align::left},
               {"GPUs", Align::left},
               {"vCPUs"},
               {"$/h"},
               {"spot"},
               {"as of", Align::left},
               {"region", Align::left}});
  for (const Instance& one : instances) {
    table.add({one.cloud, shortened(one.name, 22),
               one.gpus == 0 ? "" : fmt::format("{} {}", one.gpus, one.gpu),
               fmt::format("{:g}", one.vcpus), fmt::format("{:.2f}", one.on_demand_usd_h),
               one.spot_usd_h ? fmt::format("{:.2f}", *one.spot_usd_h) : "", one.date, one.region});
  }
  return table.text(terminal);
}

Result<int> list_catalog(const CatalogOptions& o, const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(all, Catalog(home).instances());
  TACHO_TRY(instances, Catalog::filtered(all, o.filter));
  // 'catalog update' does not change own machines.
  if (o.csv && o.filter.clouds.empty()) {
    std::erase_if(instances, [](const Instance& one) { return one.cloud == kOwnCloud; });
  }
  if (o.json || o.csv) {
    context.print(o.csv ? instances_csv(instances) : json_text(to_json(instances), 1) + "\n");
    return kSuccess;
  }
  std::ranges::stable_sort(instances, {}, &Instance::on_demand_usd_h);
  const std::size_t found = instances.size();
  if (!o.all && found > kShown) instances.resize(kShown);
  context.print(for_people(instances, context.out));
  if (found > instances.size()) {
    context.say(fmt::format("the cheapest {} of {}; --all shows all", kShown, found));
  }
  return kSuccess;
}

Result<int> update_catalog(const CatalogOptions& o, const Context& context) {
  TACHO_TRY(home, tacho_home());
  const Catalog catalog(home);
  if (o.shipped != o.file.empty()) {
    return Error{ErrorCode::usage, "give a file with --from, or --shipped for the built-in prices"};
  }
  if (o.shipped) {
    TACHO_CHECK(catalog.forget_update());
    context.print("restored the built-in prices\n");
    return kSuccess;
  }
  TACHO_TRY(count, catalog.update(o.file));
  context.print(
      fmt::format("read {} instances from {}; they replace the built-in ones, which "
                  "'tacho catalog update --shipped' restores\n",
                  count, o.file));
  return kSuccess;
}

// Fills in what was not given about this machine.
void complete_from_host(Instance& machine) {
  const Host host = read_host();
  if (machine.vcpus == 0) machine.vcpus = static_cast<double>(host.cores);
  if (machine.memory_gib == 0) {
    machine.memory_gib = static_cast<double>(host.memory_bytes) / std::exp2(30);
  }
  if (machine.gpu.empty()) machine.gpu = host.gpu;
}

Result<int> add_machine(CatalogOptions o, const Context& context) {
  TACHO_TRY(home, tacho_home());
  if (o.machine.name == kHere) complete_from_host(o.machine);
  if (o.machine.vcpus == 0 || o.machine.memory_gib == 0) {
    return Error{ErrorCode::usage,
                 "give --vcpus and --memory-gib; they are detected only for the machine named "
                 "'here'"};
  }
  if (!o.machine.gpu.empty() && o.machine.name != kHere) {
    TACHO_TRY(gpus, GpuCatalog::parse(shipped_gpus_csv()).in("gpus.csv"));
    TACHO_TRY(gpu, gpus.find(o.machine.gpu).in("--gpu"));
    o.machine.gpu = gpu->name;
  }
  if (o.network != 0) o.machine.network_gbps = o.network;
  if (o.machine.gpus == 0 && !o.machine.gpu.empty()) o.machine.gpus = 1;
  o.machine.date = fmt::format(
      "{:%Y-%m-%d}",
      fmt::gmtime(std::chrono::system_clock::to_time_t(std::chrono::system_clock::now())));
  o.machine.region = "here";
  o.machine.source = "own";
  TACHO_CHECK(Catalog(home).add_machine(o.machine));
  context.print(
      fmt::format("added {}: ${:.4g} per hour\n", o.machine.name, o.machine.on_demand_usd_h));
  return kSuccess;
}

Result<int> remove_machine(const CatalogOptions& o, const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_CHECK(Catalog(home).remove_machine(o.machine.name));
  context.print(fmt::format("removed {}\n", o.machine.name));
  return kSuccess;
}

}  // namespace

void add_catalog_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("catalog", "list and edit instances and their prices");
  command->require_subcommand(1);
  auto o = std::make_shared<CatalogOptions>();

  CLI::App* ls = command->add_subcommand("ls", "list instances, the cheapest first");
  ls->add_option("--gpu", o->filter.gpus, "GPUs, by name or prefix: A100,L4")->delimiter(',');
  ls->add_option("--cloud", o->filter.clouds, "clouds: aws,gcp,azure,…,own")->delimiter(',');
  ls->add_option("--region", o->filter.regions, "regions: us-east-1,…")->delimiter(',');
  ls->add_flag("--all,-a", o->all, "show all");
  auto* json = ls->add_flag("--json", o->json, "print JSON");
  ls->add_flag("--csv", o->csv, "print CSV, as 'tacho catalog update' reads it")->excludes(json);
  ls->callback([=, &context] { context.run([&] { return list_catalog(*o, context); }); });

  CLI::App* update = command->add_subcommand(
      "update", "replace the prices with those of a CSV file, as 'ls --csv' prints it");
  update->add_option("--from", o->file, "CSV file to read")->type_name("FILE");
  update->add_flag("--shipped", o->shipped, "restore the built-in prices");
  update->callback([=, &context] { context.run([&] { return update_catalog(*o, context); }); });

  CLI::App* add = command->add_subcommand("add-machine", "add an own machine");
  add->add_option("name", o->machine.name, "name of the machine; 'here' for this one")->required();
  add->add_option("--price", o->machine.on_demand_usd_h,
                  "dollars per hour, such as power and depreciation")
      ->required();
  add->add_option("--gpu", o->machine.gpu, "GPU, by its name in the catalog");
  add->add_option("--gpus", o->machine.gpus, "number of GPUs (default: 1)");
  add->add_option("--vcpus", o->machine.vcpus, "number of processors");
  add->add_option("--memory-gib", o->machine.memory_gib, "memory in GiB");
  add->add_option("--network-gbps", o->network, "network bandwidth in Gbit/s");
  add->callback([=, &context] { context.run([&] { return add_machine(*o, context); }); });

  CLI::App* remove = command->add_subcommand("remove-machine", "remove an own machine");
  remove->add_option("name", o->machine.name, "name of the machine")->required();
  remove->callback([=, &context] { context.run([&] { return remove_machine(*o, context); }); });
}

}  // namespace tacho
