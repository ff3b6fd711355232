#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>
#include <string_view>
#include <vector>

#include "base/nearest.h"
#include "base/version.h"
#include "cli/commands.h"

namespace tacho {
namespace {

constexpr const char* kFooter =
    "Start here:\n"
    "  tacho doctor                                            what this machine has\n"
    "  tacho train mnist-cnn --data fashion-mnist -b 64 -e 3   train and record\n"
    "  tacho run -- python3 train.py                           watch any program\n"
    "  tacho runs ls                                           what was recorded\n"
    "  tacho report last                                       why it is as slow as it is\n"
    "  tacho predict resnet50 --gpu H100 -b 256                how fast elsewhere\n"
    "  tacho sweep examples/cpu-quick.yaml                     a grid of runs\n"
    "  tacho study environments                                a question, answered by runs\n"
    "  tacho serve                                             all of it in a browser\n"
    "  tacho infer last                                        a trained model over HTTP\n"
    "\n"
    "Runs, datasets and the store live in $TACHO_HOME, else in\n"
    "$XDG_DATA_HOME/tacho, else in ~/.local/share/tacho.";

// Where a subcommand was expected, CLI11 says only that; the word that stands there says more.
std::string explain(const CLI::App& app, const CLI::ParseError& problem) {
  std::string path = "tacho";
  const CLI::App* reached = &app;
  while (!reached->get_subcommands().empty()) {
    reached = reached->get_subcommands().front();
    path += " " + reached->get_name();
  }
  std::vector<std::string> known;
  for (const CLI::App* command : reached->get_subcommands({})) known.push_back(command->get_name());
  const auto unread = app.remaining(true);
  if (!known.empty() && !unread.empty()) {
    const std::vector<std::string_view> names(known.begin(), known.end());
    const char* kind = unread.front().starts_with('-') ? "option" : "command";
    return unknown_name(kind, unread.front(), names);
  }
  return fmt::format("{}; see '{} --help'", problem.what(), path);
}

int run(int argc, char** argv) {
  Context context;
  context.words.assign(argv, argv + argc);
  CLI::App app("Tacho records how deep-learning training really runs.", "tacho");
  app.set_version_flag("--version", fmt::format("tacho {} ({})", kVersion, kCommit));
  // For whoever checks words that are written down: they are read as ever, and nothing is done.
  bool only_read = false;
  app.add_flag("--read-words", only_read)->group("");
  app.parse_complete_callback([&only_read] {
    if (only_read) throw CLI::Success();
  });
  app.require_subcommand(1);
  app.footer(kFooter);
  add_train_command(app, context);
  add_run_command(app, context);
  add_runs_command(app, context);
  add_sweep_command(app, context);
  add_study_command(app, context);
  add_report_command(app, context);
  add_compare_command(app, context);
  add_diff_command(app, context);
  add_data_command(app, context);
  add_describe_command(app, context);
  add_predict_command(app, context);
  add_fit_command(app, context);
  add_evaluate_command(app, context);
  add_env_command(app, context);
  add_curve_command(app, context);
  add_recommend_command(app, context);
  add_catalog_command(app, context);
  add_lab_command(app, context);
  add_ledger_command(app, context);
  add_serve_command(app, context);
  add_infer_command(app, context);
  add_load_command(app, context);
  add_doctor_command(app, context);
  add_take_task_command(app, context);
  add_help_command(app, context);
  add_completion_command(app, context);

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
    return report_error(context.err, {ErrorCode::usage, explain(app, problem)});
  }
  return context.exit_code();
}

}  // namespace
}  // namespace tacho

int main(int argc, char** argv) { return tacho::run(argc, argv); }
