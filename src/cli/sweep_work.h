#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "cli/context.h"
#include "core/record/metric.h"
#include "core/store/run_store.h"
#include "core/store/sweep_store.h"
#include "experiments/runner/sweep_runner.h"

namespace tacho {

// The arguments of 'tacho sweep'; each subcommand uses some of them.
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

// The stores of a subcommand and the home they are in.
struct Stores {
  std::filesystem::path home;
  RunStore runs;
  SweepStore sweeps;
};
Result<Stores> open_stores(const Context& context);

// Returns nullptr for "".
Result<const Metric*> sweep_metric(const std::string& key);
// Returns the options that differ between the runs of a sweep.
Result<std::vector<std::string>> options_of(SweepStore& store, const SweepRow& sweep);
std::string summary_line(const SweepRow& sweep, const SweepCounts& counts,
                         const std::string& stage);

// Executes the remaining runs, shows them on `view`, and writes their predictions into the ledger.
Result<SweepDriver::End> drive_sweep(Stores& stores, const SweepRow& sweep,
                                     const SweepSettings& settings, const Metric* metric,
                                     SweepView& view);

// Execution of sweeps (sweep_driving.cpp).
Result<int> begin_sweep(const SweepOptions& o, Context& context);
Result<int> resume_sweep(const SweepOptions& o, bool retry, Context& context);
Result<int> cancel_sweep(const SweepOptions& o, Context& context);

// Output of stored sweeps (sweep_reading.cpp).
Result<int> list_sweeps(bool json, const Context& context);
Result<int> show_sweep(const SweepOptions& o, const Context& context);
Result<int> watch_sweep(const SweepOptions& o, const Context& context);
Result<int> export_sweep(const SweepOptions& o, const Context& context);

}  // namespace tacho
