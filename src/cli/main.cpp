#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atomic>
#include <csignal>
#include <vector>

#include "base/nearest.h"
#include "base/version.h"
#include "cli/commands.h"

namespace {

// A signal handler can reach nothing but a global.
std::atomic<int> interrupts{0};
static_assert(std::atomic<int>::is_always_lock_free);

void count_interrupt(int /*signal*/) { ++interrupts; }

constexpr const char* kFooter =
    "Start here:\n"
    "  tacho doctor                                            what this machine has\n"
    "  tacho train mnist-cnn --data fashion-mnist -b 64 -e 3   train and record\n"
    "  tacho runs ls                                           what was recorded\n"
    "\n"
    "Runs, datasets and the store live in $TACHO_HOME, else in\n"
    "~/.local/share/tacho.";

// CLI11 only says that a word was not expected; most often it is a mistyped subcommand.
std::string explain(const CLI::App& app, const CLI::ParseError& problem, int argc, char** argv) {
  std::vector<std::string_view> names;
  const bool none_matched = app.get_subcommands().empty();
  for (const CLI::App* command : app.get_subcommands({})) names.push_back(command->get_name());
  if (none_matched && argc > 1 && argv[1][0] != '-') {
    return tacho::unknown_name("command", argv[1], names);
  }
  std::string path = "tacho";
  for (const CLI::App* at = &app; !at->get_subcommands().empty();) {
    at = at->get_subcommands().front();
    path += " " + at->get_name();
  }
  return fmt::format("{}; see '{} --help'", problem.what(), path);
}

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGINT, count_interrupt);
  std::signal(SIGTERM, count_interrupt);

  tacho::Context context(interrupts);
  CLI::App app("Tacho records how deep-learning training really runs.", "tacho");
  app.set_version_flag("--version", fmt::format("tacho {} ({})", tacho::kVersion, tacho::kCommit));
  app.require_subcommand(1);
  app.footer(kFooter);
  tacho::add_train_command(app, context);
  tacho::add_runs_command(app, context);
  tacho::add_data_command(app, context);
  tacho::add_doctor_command(app, context);
  tacho::add_completion_command(app, context);

  if (argc == 1) {
    fmt::print("{}", app.help());
    return tacho::kSuccess;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success& asked_for_help) {
    return app.exit(asked_for_help);
  } catch (const CLI::ParseError& problem) {
    return tacho::report_error(context.err,
                               {tacho::ErrorCode::usage, explain(app, problem, argc, argv)});
  }
  return context.exit_code();
}
