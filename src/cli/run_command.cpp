#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <filesystem>
#include <memory>

#include "base/home.h"
#include "cli/commands.h"
#include "cli/run_report.h"
#include "cli/train_options.h"
#include "core/store/run_tables.h"

namespace tacho {
namespace {

struct RunOptions {
  CommandSpec command;
  bool no_trace = false;
  bool quiet = false;
  bool json = false;
};

constexpr const char* kRunFooter =
    "Everything after -- is the program with its arguments. It runs in the current folder, sees\n"
    "the same files and prints as usual. Ctrl-C reaches the program first. tacho ends with the\n"
    "program's exit code, or with 128 plus the signal that killed it.\n"
    "\n"
    "Figures that the program prints (loss=0.3, JSON lines, MLPerf lines) or writes for "
    "TensorBoard\n"
    "are recorded. Work on NVIDIA GPUs is traced through CUPTI; the program needs no change.\n"
    "\n"
    "  tacho run -- python3 train.py --epochs 2\n"
    "  tacho report last";

// Prints the number of the run and notes to standard error; the program prints the rest.
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

Result<int> run(const RunOptions& o, const RunSettings& settings, Context& context) {
  CommandSpec command = o.command;
  command.trace = !o.no_trace;
  std::error_code problem;
  command.folder = std::filesystem::current_path(problem).string();
  if (problem)
    return Error{ErrorCode::io, "the current folder no longer exists: " + problem.message()};
  if (!command.tensorboard.empty()) {
    command.tensorboard =
        std::filesystem::absolute(command.tensorboard).lexically_normal().string();
  }
  RunOrder order = new_order(command);
  TrainRequest request;
  TACHO_CHECK(apply_settings(settings, request));
  TACHO_CHECK(check(request.environment));
  order.environment = std::move(request.environment);
  order.time_limit_s = request.time_limit_s;
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  Runner runner = context.runner(store, home);
  catch_interrupts();
  outlive_readers();
  WatchView view(context, o.quiet || o.json);
  TACHO_TRY(watched, runner.watch(order, !o.quiet && !o.json, view));
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
  CLI::App* command = app.add_subcommand("run", "run any program, unmodified, and record it");
  auto options = std::make_shared<RunOptions>();
  command->add_option("program", options->command.argv, "program and its arguments, after --")
      ->required()
      ->option_text("-- PROGRAM [ARGUMENT...]");
  command->add_option(
      "--batch,-b", options->command.batch,
      "samples per step, to compute samples/s from the steps found in the GPU trace");
  command
      ->add_option(
          "--tensorboard", options->command.tensorboard,
          "folder of the program's TensorBoard files (default: searched below this folder)")
      ->type_name("FOLDER");
  command->add_flag("--no-trace", options->no_trace, "do not trace the GPU");
  command->add_flag("--quiet,-q", options->quiet,
                    "do not show the program's output; it is kept in the run's folder");
  command->add_flag("--json", options->json, "print JSON");
  declare_run_options(*command, environment_option);
  command->positionals_at_end();
  command->footer(kRunFooter);
  command->callback([command, options, &context] {
    if (!context.behind_dashes.empty()) options->command.argv = context.behind_dashes;
    context.run_with_own_exit_code(
        [&] { return run(*options, given_settings(*command, environment_option), context); });
  });
}

}  // namespace tacho
