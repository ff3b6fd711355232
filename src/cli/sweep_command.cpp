#include <CLI/CLI.hpp>
#include <memory>

#include "cli/commands.h"
#include "cli/sweep_work.h"

namespace tacho {
namespace {

constexpr const char* kSweepFooter =
    "A grid has options of 'tacho train', or a program, with lists of values:\n"
    "\n"
    "  base: {model: mnist-cnn, data: fashion-mnist, epochs: 2}\n"
    "  matrix:\n"
    "    batch: [32, 64]\n"
    "    lr: {from: 0.01, to: 0.04, factor: 2}\n"
    "  seeds: 3\n"
    "\n"
    "  base: {command: [python3, train.py, --lr, \"{lr}\"]}\n"
    "  matrix: {lr: [0.1, 0.2]}\n"
    "\n"
    "Ctrl-C cancels the current runs; a second Ctrl-C ends tacho at once. 'tacho sweep resume'\n"
    "continues after both, and after a kill or a reboot. 'tacho help sweeps' describes all keys;\n"
    "examples/ has grids.";

void declare_driving(CLI::App& command, SweepOptions& o) {
  command.add_option("--launcher", o.launcher,
                     "launcher: local, slurm or kubernetes (default: the grid's)");
  command.add_option("--slots", o.slots, "largest number of concurrent runs");
  command.add_option("--set", o.launcher_options,
                     "option of the launcher, such as partition=gpu (repeatable)");
  command.add_option("--budget-runs", o.budget_runs, "stop after this number of runs");
  command.add_option("--budget-hours", o.budget_hours, "stop after this run time in hours");
  command.add_option("--sort,-s", o.sort, "metric to sort by and to optimize");
  command.add_flag("--json", o.json, "print JSON lines");
}

using Work = Result<int> (*)(const SweepOptions&, Context&);

// Adds a command that takes the handle of a sweep.
CLI::App* add_one(CLI::App& sweep, Context& context, const char* name, const char* help, Work work,
                  const std::shared_ptr<SweepOptions>& options) {
  CLI::App* command = sweep.add_subcommand(name, help);
  command->add_option("sweep", options->handle, "id or key of a sweep, or 'last'")->required();
  command->callback(
      [options, work, &context] { context.run([&] { return work(*options, context); }); });
  return command;
}

}  // namespace

void add_sweep_command(CLI::App& app, Context& context) {
  CLI::App* sweep =
      app.add_subcommand("sweep", "run a grid of configurations, here or on a cluster");
  sweep->require_subcommand(0, 1);
  sweep->footer(kSweepFooter);
  auto begin = std::make_shared<SweepOptions>();
  sweep->add_option("grid", begin->grid, "YAML file of the grid");
  sweep->add_flag("--dry-run,-n", begin->dry_run, "list the runs without running them");
  declare_driving(*sweep, *begin);
  sweep->callback([sweep, begin, &context] {
    if (!sweep->get_subcommands().empty()) return;
    context.run([&]() -> Result<int> {
      if (begin->grid.empty()) {
        return Error{ErrorCode::usage,
                     "no grid given, as in 'tacho sweep grid.yaml' (see 'tacho sweep --help')"};
      }
      return begin_sweep(*begin, context);
    });
  });

  CLI::App* ls = sweep->add_subcommand("ls", "list sweeps");
  auto ls_json = std::make_shared<bool>(false);
  ls->add_flag("--json", *ls_json, "print JSON");
  ls->callback(
      [ls_json, &context] { context.run([&] { return list_sweeps(*ls_json, context); }); });

  auto shown = std::make_shared<SweepOptions>();
  CLI::App* show = add_one(
      *sweep, context, "show", "show the runs of a sweep",
      [](const SweepOptions& o, Context& c) { return show_sweep(o, c); }, shown);
  show->add_option("--sort,-s", shown->sort, "metric to sort by, the best first");
  show->add_flag("--json", shown->json, "print JSON");

  auto watched = std::make_shared<SweepOptions>();
  CLI::App* watch = add_one(
      *sweep, context, "watch", "follow a sweep that another tacho runs",
      [](const SweepOptions& o, Context& c) { return watch_sweep(o, c); }, watched);
  watch->add_flag("--json", watched->json, "print JSON lines");

  auto resumed = std::make_shared<SweepOptions>();
  declare_driving(
      *add_one(
          *sweep, context, "resume", "continue a sweep that was stopped or killed",
          [](const SweepOptions& o, Context& c) { return resume_sweep(o, false, c); }, resumed),
      *resumed);

  auto retried = std::make_shared<SweepOptions>();
  declare_driving(
      *add_one(
          *sweep, context, "retry-failed", "run failed and cancelled tasks again",
          [](const SweepOptions& o, Context& c) { return resume_sweep(o, true, c); }, retried),
      *retried);

  auto cancelled = std::make_shared<SweepOptions>();
  add_one(*sweep, context, "cancel", "cancel a sweep, also on a cluster", cancel_sweep, cancelled);

  add_sweep_next_command(*sweep, context);

  auto exported = std::make_shared<SweepOptions>();
  CLI::App* out = add_one(
      *sweep, context, "export", "export the runs of a sweep as CSV or JSON",
      [](const SweepOptions& o, Context& c) { return export_sweep(o, c); }, exported);
  out->add_flag("--csv", exported->csv, "print CSV, one line per run");
  out->add_flag("--json", exported->json, "print JSON");
  out->add_option("--output,-o", exported->output, "write to this file")->type_name("FILE");
}

}  // namespace tacho
