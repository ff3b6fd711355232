#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/start_report.h"
#include "base/version.h"
#include "cli/commands.h"
#include "cli/help_formatter.h"
#include "cli/usage_message.h"

namespace tacho {
namespace {

using AddCommand = void (*)(CLI::App& app, Context& context);

struct CommandGroup {
  const char* title;
  std::vector<AddCommand> commands;
};

// Ordered as in 'tacho --help'.
std::vector<CommandGroup> command_groups() {
  return {{"Train and record",
           {add_train_command, add_run_command, add_runs_command, add_sweep_command}},
          {"Explain and compare",
           {add_report_command, add_try_command, add_compare_command, add_diff_command,
            add_study_command, add_describe_command, add_bench_command}},
          {"Predict and rent",
           {add_predict_command, add_curve_command, add_recommend_command, add_catalog_command,
            add_ledger_command, add_fit_command, add_evaluate_command}},
          {"Serve", {add_serve_command, add_infer_command, add_generate_command, add_load_command}},
          {"Set up",
           {add_doctor_command, add_data_command, add_env_command, add_help_command,
            add_completion_command}},
          {"", {add_take_task_command, add_attach_command}}};  // for other programs: not shown
}

constexpr const char* kFooter =
    "Start here:\n"
    "  tacho doctor  check this machine\n"
    "  tacho train mnist-cnn --data fashion-mnist  train a model and record the run\n"
    "  tacho report last  show where its time went\n"
    "  tacho help  read the manual";

void add_commands(CLI::App& app, Context& context) {
  for (const CommandGroup& group : command_groups()) {
    for (const AddCommand add : group.commands) {
      add(app, context);
      // Not before: the commands below it would inherit the group.
      app.get_subcommands({}).back()->group(group.title);
    }
  }
}

int run(int argc, char** argv) {
  take_start_report();
  Context context;
  context.words.assign(argv, argv + argc);
  CLI::App app("Tacho records how deep-learning training really runs.", "tacho");
  // Commands inherit the formatter and the help flag, and would inherit a footer.
  app.formatter_fn([columns = help_columns(context.out)](
                       const CLI::App* command, const std::string& name, CLI::AppFormatMode) {
    return help_text(*command, name, columns);
  });
  app.set_help_flag("-h,--help", "print this help");
  app.set_version_flag("--version", fmt::format("tacho {} ({})", kVersion, kCommit),
                       "print the version");
  // Checks a command line without running it; documentation tests use it.
  bool only_read = false;
  app.add_flag("--read-words", only_read)->group("");
  app.parse_complete_callback([&only_read] {
    if (only_read) throw CLI::Success();
  });
  app.require_subcommand(1);
  add_commands(app, context);
  app.footer(kFooter);

  const auto print = [&context](const std::string& text) {
    context.run([&]() -> Result<int> {
      context.print(text);
      return kSuccess;
    });
    return context.exit_code();
  };
  if (argc == 1) return print(app.help());
  const auto dashes = std::find(argv, argv + argc, std::string_view("--"));
  if (dashes != argv + argc) context.behind_dashes.assign(dashes + 1, argv + argc);
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    std::ostringstream text;
    app.exit(asked_for_help, text, text);
    return print(text.str());
  } catch (const CLI::ParseError& problem) {
    return report_error(context.err, {ErrorCode::usage, usage_message(app, problem)});
  }
  return context.exit_code();
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) { return tacho::run(argc, argv); }
