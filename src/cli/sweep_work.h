#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "lab/sweep_lab.h"
#include "record/metric.h"
#include "store/run_store.h"
#include "store/sweep_store.h"

namespace tacho {

// What the words after 'tacho sweep' ask for; each subcommand reads the part that is its own.
struct SweepOptions {
  std::string grid;
  std::string handle;
  bool dry_run = false;
  bool json = false;
  std::optional<std::string> launcher;
  std::optional<std::int64_t> slots;
  std::vector<std::string> launcher_options;
  std::optional<std::int64_t> budget_runs;
  std::optional<double> budget_hours;
  std::string sort;
  std::string output;
  bool csv = false;
};

// What both stores of a subcommand are opened from.
struct Stores {
  std::filesystem::path home;
  RunStore runs;
  SweepStore sweeps;
};
Result<Stores> open_stores(const Context& context);

// None for "".
Result<const Metric*> sweep_metric(const std::string& key);
// Those that tell the runs of a sweep apart.
Result<std::vector<std::string>> options_of(SweepStore& store, const SweepRow& sweep);
std::string summary_line(const SweepRow& sweep, const SweepCounts& counts,
                         const std::string& stage);

// Makes what is left to be made, showing it on `view`; what can be foretold of its runs is written
// into the ledger.
Result<SweepDriver::End> drive_sweep(Stores& stores, const SweepRow& sweep,
                                     const SweepSettings& settings, const Metric* metric,
                                     SweepView& view);

// Making a sweep's runs (sweep_driving.cpp).
Result<int> begin_sweep(const SweepOptions& o, Context& context);
Result<int> resume_sweep(const SweepOptions& o, bool retry, Context& context);
Result<int> cancel_sweep(const SweepOptions& o, Context& context);

// Telling what is stored of sweeps (sweep_reading.cpp).
Result<int> list_sweeps(bool json, const Context& context);
Result<int> show_sweep(const SweepOptions& o, const Context& context);
Result<int> watch_sweep(const SweepOptions& o, const Context& context);
Result<int> export_sweep(const SweepOptions& o, const Context& context);

}  // namespace tacho
