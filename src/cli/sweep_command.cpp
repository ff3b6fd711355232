#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/sweep_next_command.h"
#include "cli/sweep_work.h"

namespace tacho {
namespace {

constexpr const char* kSweepFooter =
    "A grid names the options of 'tacho train', or a program, and lists of values:\n"
    "\n"
    "  base: {model: mnist-cnn, data: fashion-mnist, epochs: 2}\n"
    "  matrix: {batch: [32, 64], lr: {from: 0.01, to: 0.04, factor: 2}}\n"
    "  seeds: 3\n"
    "\n"
    "  base: {command: [python3, train.py, --lr, \"{lr}\"]}\n"
    "  matrix: {lr: [0.1, 0.2]}\n"
    "\n"
    "Ctrl-C once cancels what runs, twice leaves at once; 'tacho sweep resume' goes on either "
    "way,\n"
    "and after a kill or a reboot. docs/sweeps.md has all keys; examples/ has grids.";

void declare_driving(CLI::App& command, SweepOptions& o) {
  command.add_option("--launcher", o.launcher, "local, slurm, kubernetes (the grid's)");
  command.add_option("--slots", o.slots, "the most runs at a time");
  command.add_option("--set", o.launcher_options, "an option of the launcher, as partition=gpu");
  command.add_option("--budget-runs", o.budget_runs, "stop after so many");
  command.add_option("--budget-hours", o.budget_hours, "stop after so much run time");
  command.add_option("--sort,-s", o.sort, "what is best, and the order of the table: any metric");
  command.add_flag("--json", o.json, "what happens, one JSON object a line");
}

using Work = Result<int> (*)(const SweepOptions&, Context&);

// A subcommand that takes a sweep's handle.
CLI::App* add_one(CLI::App& sweep, Context& context, const char* name, const char* help, Work work,
                  const std::shared_ptr<SweepOptions>& options) {
  CLI::App* command = sweep.add_subcommand(name, help);
  command->add_option("sweep", options->handle, "its id, key or 'last'")->required();
  command->callback(
      [options, work, &context] { context.run([&] { return work(*options, context); }); });
  return command;
}

}  // namespace

void add_sweep_command(CLI::App& app, Context& context) {
  CLI::App* sweep = app.add_subcommand("sweep", "run a grid of configurations, here or elsewhere");
  sweep->require_subcommand(0, 1);
  sweep->footer(kSweepFooter);
  auto begin = std::make_shared<SweepOptions>();
  sweep->add_option("grid", begin->grid, "a grid.yaml");
  sweep->add_flag("--dry-run,-n", begin->dry_run, "print the runs, make none");
  declare_driving(*sweep, *begin);
  sweep->callback([sweep, begin, &context] {
    if (!sweep->get_subcommands().empty()) return;
    context.run([&]() -> Result<int> {
      if (begin->grid.empty()) {
        return Error{ErrorCode::usage,
                     "no grid named: tacho sweep grid.yaml; see 'tacho sweep "
                     "--help'"};
      }
      return begin_sweep(*begin, context);
    });
  });

  CLI::App* ls = sweep->add_subcommand("ls", "list sweeps");
  auto ls_json = std::make_shared<bool>(false);
  ls->add_flag("--json", *ls_json, "as JSON");
  ls->callback(
      [ls_json, &context] { context.run([&] { return list_sweeps(*ls_json, context); }); });

  auto shown = std::make_shared<SweepOptions>();
  CLI::App* show = add_one(
      *sweep, context, "show", "one sweep's runs",
      [](const SweepOptions& o, Context& c) { return show_sweep(o, c); }, shown);
  show->add_option("--sort,-s", shown->sort, "by any metric, the best first");
  show->add_flag("--json", shown->json, "as JSON");

  auto watched = std::make_shared<SweepOptions>();
  CLI::App* watch = add_one(
      *sweep, context, "watch", "follow a sweep that another tacho makes",
      [](const SweepOptions& o, Context& c) { return watch_sweep(o, c); }, watched);
  watch->add_flag("--json", watched->json, "one JSON object a line");

  auto resumed = std::make_shared<SweepOptions>();
  declare_driving(
      *add_one(
          *sweep, context, "resume", "go on with a sweep that was stopped or killed",
          [](const SweepOptions& o, Context& c) { return resume_sweep(o, false, c); }, resumed),
      *resumed);

  auto retried = std::make_shared<SweepOptions>();
  declare_driving(
      *add_one(
          *sweep, context, "retry-failed", "make again what failed or was cancelled",
          [](const SweepOptions& o, Context& c) { return resume_sweep(o, true, c); }, retried),
      *retried);

  auto cancelled = std::make_shared<SweepOptions>();
  add_one(*sweep, context, "cancel", "end a sweep, wherever it runs", cancel_sweep, cancelled);

  add_sweep_next_command(*sweep, context);

  auto exported = std::make_shared<SweepOptions>();
  CLI::App* out = add_one(
      *sweep, context, "export", "its results as CSV or JSON",
      [](const SweepOptions& o, Context& c) { return export_sweep(o, c); }, exported);
  out->add_flag("--csv", exported->csv, "a line a run: spec, machine, metrics, curves");
  out->add_flag("--json", exported->json, "whole records");
  out->add_option("--output,-o", exported->output, "into this file, at once or not at all");
}

}  // namespace tacho
