#include <fmt/format.h>
#include <sched.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/home.h"
#include "base/quantity.h"
#include "base/shell_words.h"
#include "cli/commands.h"
#include "cli/compare_view.h"
#include "experiments/trials/trial_runner.h"
#include "experiments/trials/trial_text.h"
#include "machine/env/scratch_view.h"

namespace tacho {
namespace {

constexpr const char* kTryFooter =
    "Runs the program many times for a few seconds: as it is, and with one change at a time, made\n"
    "from outside. A PyTorch program ends as soon as its step is known; any other runs to its "
    "end.\n"
    "What saves time is measured again, alone and together, and the losses are compared with the\n"
    "original's. Files that the program writes below the current folder are thrown away.\n"
    "\n"
    "  tacho try -- python3 train.py\n"
    "  tacho try --budget 20m --changes channels-last,bf16 -- python3 train.py --batch 64\n"
    "  tacho try --list";

struct TryOptions {
  std::vector<std::string> argv;
  std::vector<std::string> changes;
  std::string budget = "10m";
  std::string trial = "3s";
  std::string resolution = "3%";
  std::optional<std::int64_t> seed;
  bool in_place = false;
  bool include_disturbed = false;
  bool list = false;
  bool json = false;
};

int usable_processors() {
  cpu_set_t set;
  CPU_ZERO(&set);
  return ::sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

Result<Seconds> duration_of(const std::string& text, const char* option) {
  TACHO_TRY(time, parse_duration(text).in(option));
  if (time <= Seconds(0)) {
    return Error{ErrorCode::usage, fmt::format("{}: '{}' is not longer than 0", option, text)};
  }
  return time;
}

Result<TrialRequest> request_of(const TryOptions& o) {
  if (o.argv.empty()) {
    return Error{ErrorCode::usage,
                 "no program to try; write it after --: tacho try -- python3 train.py"};
  }
  TrialRequest request;
  std::error_code problem;
  request.command = {.argv = o.argv, .folder = std::filesystem::current_path(problem).string()};
  if (problem) {
    return Error{ErrorCode::io, "the current folder no longer exists: " + problem.message()};
  }
  TACHO_CHECK(check(request.command));
  TACHO_TRY(budget, duration_of(o.budget, "--budget"));
  TACHO_TRY(measured, duration_of(o.trial, "--trial"));
  TACHO_TRY(resolution, parse_percent(o.resolution).in("--resolution"));
  request.resolution = resolution;
  request.budget = budget;
  request.measured = measured.count();
  request.changes = all_changes(usable_processors());
  if (!o.changes.empty()) {
    TACHO_TRY(chosen, named_changes(o.changes, request.changes).in("--changes"));
    request.changes = std::move(chosen);
  }
  request.seed = o.seed.value_or(std::chrono::system_clock::now().time_since_epoch() /
                                 std::chrono::milliseconds(1) % 1'000'000);
  request.include_disturbed = o.include_disturbed;
  request.typed = "tacho try -- " + shell_quoted(o.argv);
  return request;
}

Result<ScratchView> protect(const std::string& folder, const std::filesystem::path& home) {
  TACHO_CHECK(make_folders(home));
  auto view = ScratchView::enter({folder}, {home});
  if (view.ok()) return view;
  return Error{ErrorCode::unavailable,
               fmt::format("cannot keep the files of the trials separate from yours: {}; add "
                           "--in-place to let the trials write to {}",
                           view.error().message, folder)};
}

Result<int> try_changes(const TryOptions& o, const Context& context) {
  if (o.list) {
    context.print(change_list(all_changes(usable_processors()), context.out));
    return kSuccess;
  }
  TACHO_TRY(request, request_of(o));
  TACHO_TRY(home, tacho_home());
  std::optional<ScratchView> scratch;
  if (!o.in_place) {
    TACHO_TRY(view, protect(request.command.folder, home));
    scratch.emplace(std::move(view));
  }
  TACHO_TRY(store, context.open_store());
  catch_interrupts();
  const auto between = [&]() -> Result<void> {
    return scratch ? scratch->reset() : Result<void>();
  };
  std::optional<CompareProgress> progress;
  progress.emplace(context.err);
  auto report = TrialRunner(home, store, interrupts(), between).run(request, *progress);
  progress.reset();
  if (!report.ok()) return report.error();
  context.print(o.json ? json_text(to_json(*report), 1) + "\n" : trial_text(*report, context.out));
  return interrupts() > 0 ? kFailure : kSuccess;
}

}  // namespace

void add_try_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("try", "apply changes to a program and measure them");
  auto o = std::make_shared<TryOptions>();
  command->add_option("program", o->argv, "program and its arguments, after --")
      ->option_text("-- PROGRAM [ARGUMENT...]");
  command->add_option("--budget", o->budget, "time for all trials")
      ->type_name("TIME")
      ->capture_default_str();
  command->add_option("--changes", o->changes, "changes to try; default: all that can apply")
      ->delimiter(',')
      ->type_name("LIST");
  command->add_option("--trial", o->trial, "time of steps to measure in each trial")
      ->type_name("TIME")
      ->capture_default_str();
  command
      ->add_option(
          "--resolution", o->resolution,
          "stop when all intervals are at most this wide; smaller differences do not matter")
      ->type_name("PERCENT")
      ->capture_default_str();
  command->add_option("--seed", o->seed, "random seed");
  command
      ->add_flag("--include-disturbed", o->include_disturbed,
                 "include runs during which other programs used the machine")
      ->envname("TACHO_INCLUDE_DISTURBED");
  command->add_flag("--in-place", o->in_place, "let the trials write to the current folder");
  command->add_flag("--list", o->list, "list the changes");
  command->add_flag("--json", o->json, "print JSON");
  command->positionals_at_end();
  command->footer(kTryFooter);
  command->callback([=, &context] {
    if (!context.behind_dashes.empty()) o->argv = context.behind_dashes;
    context.run([&] { return try_changes(*o, context); });
  });
}

}  // namespace tacho
