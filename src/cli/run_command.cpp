#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/home.h"
#include "cli/commands.h"
#include "cli/environment_options.h"
#include "cli/run_report.h"
#include "store/run_tables.h"

namespace tacho {
namespace {

struct RunOptions {
  CommandSpec command;
  EnvironmentOptions environment;
  bool no_trace = false;
  bool quiet = false;
  bool json = false;
};

constexpr const char* kFooter =
    "Everything behind -- is the program and its arguments, handed over as they are. It is\n"
    "started here, sees the same files and prints where it always prints; Ctrl-C reaches it\n"
    "first. tacho ends with its exit code, or 128 and the signal that killed it.\n"
    "\n"
    "Figures it prints (loss=0.3, JSON lines, MLPerf lines) or writes for TensorBoard are kept\n"
    "with the run. What it does on NVIDIA GPUs is traced through CUPTI, without a change to it.\n"
    "\n"
    "  tacho run -- python3 train.py --epochs 2\n"
    "  tacho report last";

// Tells on standard error that a program is watched; the program itself is what is looked at.
class WatchView final : public RunView {
 public:
  WatchView(Context& context, bool quiet) : context_(context), quiet_(quiet) {}
  void started(std::int64_t id, const RunOrder& order) override {
    if (!quiet_) {
      context_.say(fmt::format("run {}: {}", id, headline(*order.command, 200)));
    }
  }
  void event(const Event& event) override {
    const auto* note = std::get_if<Note>(&event.body);
    if (note != nullptr) context_.warn(printable(note->text));
  }
  void tick() override {}

 private:
  Context& context_;
  bool quiet_;
};

int exit_code_of(ExitStatus status) {
  return status.signal == 0 ? status.code : 128 + status.signal;
}

Result<int> run(const RunOptions& o, Context& context) {
  CommandSpec command = o.command;
  command.trace = !o.no_trace;
  std::error_code problem;
  command.folder = std::filesystem::current_path(problem).string();
  if (problem) return Error{ErrorCode::io, "the current folder is gone: " + problem.message()};
  if (!command.tensorboard.empty()) {
    command.tensorboard =
        std::filesystem::absolute(command.tensorboard).lexically_normal().string();
  }
  RunOrder order = new_order(command);
  TACHO_TRY(environment, environment_of(o.environment));
  TACHO_TRY(time_limit, time_limit_of(o.environment));
  order.environment = std::move(environment);
  order.time_limit_s = time_limit;
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  Lab lab = context.lab(store, home);
  catch_interrupts();
  outlive_readers();
  WatchView view(context, o.quiet || o.json);
  TACHO_TRY(watched, lab.watch(order, !o.quiet && !o.json, view));
  const auto& [id, record] = watched.run;
  if (o.json) {
    context.print(json_text(record_json(id, record), 1) + "\n");
  } else if (!o.quiet) {
    fmt::print(stderr, "\n{}", run_report(id, record, context.err));
  }
  return exit_code_of(watched.status);
}

}  // namespace

void add_run_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("run", "watch any program, unmodified, and record it");
  auto options = std::make_shared<RunOptions>();
  command->add_option("program", options->command.argv, "the program and its arguments, behind --")
      ->required();
  command->add_option("--batch,-b", options->command.batch,
                      "samples a step, for the speed of a step found in the GPU's work");
  command->add_option("--tensorboard", options->command.tensorboard,
                      "where it writes TensorBoard files (found below this folder)");
  command->add_flag("--no-trace", options->no_trace, "leave the GPU's work alone");
  command->add_flag("--quiet,-q", options->quiet, "keep what it prints in the run's folder only");
  command->add_flag("--json", options->json, "the record alone on standard output");
  declare(*command, options->environment);
  command->positionals_at_end();
  command->footer(kFooter);
  command->callback([options, &context] {
    if (!context.behind_dashes.empty()) options->command.argv = context.behind_dashes;
    context.run([&] { return run(*options, context); });
  });
}

}  // namespace tacho
