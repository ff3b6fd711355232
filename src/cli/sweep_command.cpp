#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <array>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <thread>

#include "base/file.h"
#include "base/home.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/foretelling_view.h"
#include "cli/sweep_advisor.h"
#include "cli/sweep_live.h"
#include "cli/sweep_next_command.h"
#include "cli/sweep_plan.h"
#include "cli/sweep_tables.h"
#include "lab/sweep_export.h"
#include "lab/sweep_lab.h"
#include "record/metric.h"

namespace tacho {
namespace {

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

// What both stores of a subcommand are opened from.
struct Stores {
  std::filesystem::path home;
  RunStore runs;
  SweepStore sweeps;
};
Result<Stores> open_stores(const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(runs, context.open_store());
  TACHO_TRY(sweeps, SweepStore::open(home / "tacho.db"));
  return Stores{home, std::move(runs), std::move(sweeps)};
}

Result<const Metric*> metric_of(const std::string& key) {
  if (key.empty()) return static_cast<const Metric*>(nullptr);
  return find_metric(key);
}

Result<void> apply_options(SweepSettings& settings, const SweepOptions& o) {
  if (o.launcher && *o.launcher != settings.launcher.kind) {
    settings.launcher = {.kind = *o.launcher, .slots = settings.launcher.slots};
  }
  if (o.slots) {
    if (*o.slots < 1) return Error{ErrorCode::usage, "--slots must be at least 1"};
    settings.launcher.slots = *o.slots;
  }
  for (const std::string& text : o.launcher_options) {
    const std::size_t at = text.find('=');
    if (at == 0 || at == std::string::npos) {
      return Error{ErrorCode::usage,
                   fmt::format("--set takes NAME=VALUE, as partition=gpu; not '{}'", text)};
    }
    settings.launcher.options[text.substr(0, at)] = text.substr(at + 1);
  }
  if (o.budget_runs) settings.budget.runs = *o.budget_runs;
  if (o.budget_hours) settings.budget.hours = *o.budget_hours;
  if (settings.budget.runs.value_or(1) < 1 || settings.budget.hours.value_or(1) <= 0) {
    return Error{ErrorCode::usage, "a budget must be above 0"};
  }
  return {};
}

// Those that tell the runs of a sweep apart.
Result<std::vector<std::string>> options_of(SweepStore& store, const SweepRow& sweep) {
  TACHO_TRY(tasks, store.tasks(sweep.id));
  std::vector<const Configuration*> configurations;
  for (const SweepTask& task : tasks) configurations.push_back(&task.configuration);
  return options_that_differ(configurations);
}

std::string summary_line(const SweepRow& sweep, const SweepCounts& counts,
                         const std::string& stage) {
  return fmt::format("sweep {}{}  {}  {}, {} waiting, {} of run time\n", sweep.id,
                     sweep.name.empty() ? "" : "  " + printable(sweep.name), stage,
                     progress_text({.counts = counts}), counts.states.at(SweepTaskState::waiting),
                     human(Seconds(counts.run_seconds)));
}

// Only a sweep whose runs all came to something is a success; no memory is something.
int exit_code_of(const SweepCounts& counts, SweepDriver::End end) {
  if (end == SweepDriver::End::stopped || end == SweepDriver::End::cancelled) return kFailure;
  for (const Outcome bad : {Outcome::failed, Outcome::timed_out, Outcome::cancelled}) {
    const auto found = counts.outcomes.find(bad);
    if (found != counts.outcomes.end() && found->second > 0) return kFailure;
  }
  return kSuccess;
}

Result<int> drive(Stores& stores, const SweepRow& sweep, const SweepSettings& settings,
                  const SweepOptions& o, Context& context) {
  TACHO_TRY(metric, metric_of(o.sort));
  SweepLab lab(stores.home, stores.sweeps, interrupts());
  catch_interrupts();
  outlive_readers();
  std::unique_ptr<SweepView> view;
  if (o.json) {
    view = std::make_unique<SweepEvents>();
  } else {
    TACHO_TRY(options, options_of(stores.sweeps, sweep));
    view = std::make_unique<SweepLines>(context.err, metric, options);
  }
  SweepAdvisor advisor(stores.sweeps, stores.runs, {.metric = metric});
  Foreteller foreteller(stores.runs, stores.home / "tacho.db",
                        [&](const std::string& problem) { view->note(problem); });
  ForetellingSweepView foretelling(*view, foreteller);
  const auto driven = lab.drive(sweep, settings, foretelling, choose_by(advisor));
  foreteller.settle();
  if (!driven.ok()) return driven.error();
  const SweepDriver::End end = *driven;
  view.reset();
  TACHO_TRY(counts, stores.sweeps.counts(sweep.id));
  constexpr std::array<std::string_view, 4> kEnds = {"complete", "budget_spent", "stopped",
                                                     "cancelled"};
  const auto ended = kEnds.at(static_cast<std::size_t>(end));
  if (o.json) {
    SweepEvents::print({{"event", "ended"}, {"end", ended}, {"counts", counts_json(counts)}});
  } else {
    TACHO_TRY(lines, sweep_lines(stores.sweeps, sweep));
    if (metric != nullptr) sort_by(lines, *metric);
    constexpr std::size_t kMostLines = 200;
    if (lines.size() <= kMostLines) context.print(sweep_table(lines, metric, context.out));
    context.print(summary_line(sweep, counts, std::string(ended)));
  }
  const std::int64_t left =
      counts.states.at(SweepTaskState::waiting) + counts.states.at(SweepTaskState::submitted);
  if (end == SweepDriver::End::stopped) {
    context.warn(fmt::format("go on with: tacho sweep resume {}", sweep.id));
  } else if (end == SweepDriver::End::budget_spent) {
    context.warn(
        fmt::format("the budget is spent, {} runs are left; go on with a larger one: "
                    "tacho sweep resume {} --budget-runs N",
                    left, sweep.id));
  }
  return exit_code_of(counts, end);
}

// What all runs will take, added, as far as runs like them were made here.
std::string predicted_time(const std::vector<PlannedRun>& runs, Foreteller& foreteller) {
  Range all;
  std::size_t told = 0;
  for (const PlannedRun& run : runs) {
    const auto forecast = run.asked.command ? std::nullopt : foreteller.forecast(run.asked.spec);
    if (!forecast || !forecast->total_seconds) continue;
    ++told;
    // Errors of runs that are foretold by the same others go together.
    all.value += forecast->total_seconds->value;
    all.low += forecast->total_seconds->low;
    all.high += forecast->total_seconds->high;
  }
  if (told == 0) return "how long they take can be told once some like them were made here";
  const std::string whose =
      told == runs.size() ? "they take" : fmt::format("{} of them take", told);
  return fmt::format("{} {} of run time, {} to {}", whose, human(Seconds(all.value)),
                     human(Seconds(all.low)), human(Seconds(all.high)));
}

Result<int> begin_sweep(const SweepOptions& o, Context& context) {
  TACHO_TRY(plan, read_sweep_plan(o.grid));
  SweepSettings settings = settings_of(plan.grid);
  TACHO_CHECK(apply_options(settings, o));
  if (o.dry_run) {
    if (o.json) {
      context.print(json_text(plan_json(plan.runs), 1) + "\n");
      return kSuccess;
    }
    TACHO_TRY(store, context.open_store());
    TACHO_TRY(home, tacho_home());
    Foreteller foreteller(store, home / "tacho.db",
                          [&](const std::string& problem) { context.warn(problem); });
    context.print(plan_table(plan.runs, context.out));
    context.print(fmt::format("{} runs on {}; {}\n", plan.runs.size(), settings.launcher.kind,
                              predicted_time(plan.runs, foreteller)));
    return kSuccess;
  }
  TACHO_TRY(stores, open_stores(context));
  SweepLab lab(stores.home, stores.sweeps, interrupts());
  TACHO_CHECK(lab.check(settings));
  const std::string name =
      plan.grid.name.empty() ? std::filesystem::path(o.grid).stem().string() : plan.grid.name;
  TACHO_TRY(sweep, lab.add(name, plan.text, plan.runs, settings));
  return drive(stores, sweep, settings, o, context);
}

Result<int> resume_sweep(const SweepOptions& o, bool retry, Context& context) {
  TACHO_TRY(stores, open_stores(context));
  TACHO_TRY(sweep, stores.sweeps.find(o.handle));
  SweepLab lab(stores.home, stores.sweeps, interrupts());
  TACHO_TRY(settings, settings_of(sweep));
  TACHO_CHECK(apply_options(settings, o));
  const bool was_cancelled = sweep.state == SweepState::cancelled;
  if ((retry || was_cancelled) && lab.is_driven(sweep)) {
    return Error{ErrorCode::usage, fmt::format("sweep {} is still running", sweep.id)};
  }
  if (retry) {
    TACHO_TRY(again, stores.sweeps.retry_failed(sweep.id));
    context.say(fmt::format("{} runs are made again", again));
  } else if (was_cancelled) {
    TACHO_CHECK(stores.sweeps.reopen(sweep.id));
  }
  TACHO_CHECK(stores.sweeps.set_settings(sweep.id, json_text(to_json(settings))));
  return drive(stores, sweep, settings, o, context);
}

Result<int> list_sweeps(bool json, const Context& context) {
  TACHO_TRY(stores, open_stores(context));
  TACHO_TRY(sweeps, stores.sweeps.list());
  const SweepLab lab(stores.home, stores.sweeps, interrupts());
  Json list = Json::array();
  Table table({{"id"},
               {"started", Align::left},
               {"name", Align::left},
               {"runs"},
               {"done"},
               {"failed"},
               {"skipped"},
               {"state", Align::left}});
  for (const SweepRow& sweep : sweeps) {
    TACHO_TRY(counts, stores.sweeps.counts(sweep.id));
    const std::string stage = stage_of(lab, sweep);
    list.push_back({{"id", sweep.id},
                    {"key", sweep.key},
                    {"name", sweep.name},
                    {"created_at", sweep.created_at},
                    {"state", stage},
                    {"counts", counts_json(counts)}});
    const std::int64_t failed =
        counts.outcomes[Outcome::failed] + counts.outcomes[Outcome::timed_out];
    table.add(
        {std::to_string(sweep.id),
         fmt::format("{:%m-%d %H:%M}", fmt::localtime(static_cast<std::time_t>(sweep.created_at))),
         printable(sweep.name), std::to_string(counts.all()),
         std::to_string(counts.states[SweepTaskState::done]), std::to_string(failed),
         std::to_string(counts.states[SweepTaskState::skipped]), stage});
  }
  if (json) {
    context.print(json_text(list, 1) + "\n");
  } else if (sweeps.empty()) {
    context.print("no sweeps yet; start with: tacho sweep examples/cpu-quick.yaml\n");
  } else {
    context.print(table.text(context.out));
  }
  return kSuccess;
}

Result<int> show_sweep(const SweepOptions& o, const Context& context) {
  TACHO_TRY(metric, metric_of(o.sort));
  TACHO_TRY(stores, open_stores(context));
  TACHO_TRY(sweep, stores.sweeps.find(o.handle));
  TACHO_TRY(lines, sweep_lines(stores.sweeps, sweep));
  TACHO_TRY(counts, stores.sweeps.counts(sweep.id));
  if (metric != nullptr) sort_by(lines, *metric);
  const std::string stage = stage_of({stores.home, stores.sweeps, interrupts()}, sweep);
  if (o.json) {
    Json json = {{"id", sweep.id},
                 {"key", sweep.key},
                 {"name", sweep.name},
                 {"state", stage},
                 {"grid", sweep.grid},
                 {"counts", counts_json(counts)},
                 {"tasks", sweep_json(lines)}};
    context.print(json_text(json, 1) + "\n");
    return kSuccess;
  }
  context.print(sweep_table(lines, metric, context.out));
  context.print(summary_line(sweep, counts, stage));
  return kSuccess;
}

Result<int> watch_sweep(const SweepOptions& o, const Context& context) {
  constexpr std::chrono::milliseconds kLookEvery{500};
  TACHO_TRY(stores, open_stores(context));
  TACHO_TRY(found, stores.sweeps.find(o.handle));
  const SweepLab lab(stores.home, stores.sweeps, interrupts());
  std::string before;
  while (true) {
    TACHO_TRY(sweep, stores.sweeps.find(std::to_string(found.id)));
    const std::string stage = stage_of(lab, sweep);
    TACHO_TRY(counts, stores.sweeps.counts(sweep.id));
    const std::string line =
        o.json ? json_text({{"sweep", sweep.id}, {"state", stage}, {"counts", counts_json(counts)}})
               : summary_line(sweep, counts, stage);
    if (line != before) context.print(o.json ? line + "\n" : line);
    std::fflush(stdout);
    before = line;
    if (stage != "running") return kSuccess;
    std::this_thread::sleep_for(kLookEvery);
  }
}

Result<int> cancel_sweep(const SweepOptions& o, Context& context) {
  TACHO_TRY(stores, open_stores(context));
  TACHO_TRY(sweep, stores.sweeps.find(o.handle));
  if (sweep.state == SweepState::finished) {
    return Error{ErrorCode::usage, fmt::format("sweep {} is finished", sweep.id)};
  }
  SweepLab lab(stores.home, stores.sweeps, interrupts());
  catch_interrupts();
  TACHO_TRY(options, options_of(stores.sweeps, sweep));
  SweepLines view(context.err, nullptr, options);
  TACHO_CHECK(lab.cancel(sweep, view));
  TACHO_TRY(counts, stores.sweeps.counts(sweep.id));
  context.print(summary_line(sweep, counts, "cancelled"));
  return kSuccess;
}

Result<int> export_sweep(const SweepOptions& o, const Context& context) {
  if (o.csv == o.json) return Error{ErrorCode::usage, "choose one of --csv and --json"};
  TACHO_TRY(stores, open_stores(context));
  TACHO_TRY(sweep, stores.sweeps.find(o.handle));
  std::vector<ExportedRun> runs;
  TACHO_TRY(tasks, stores.sweeps.tasks(sweep.id, SweepTaskState::done));
  for (SweepTask& task : tasks) {
    TACHO_TRY(run, stores.runs.find(task.result_key.value_or("")));
    runs.push_back({std::move(task), std::move(run.record)});
  }
  std::string text;
  if (o.csv) {
    text = sweep_csv(runs);
  } else {
    Json list = Json::array();
    for (const ExportedRun& run : runs) list.push_back(to_json(run.record));
    text = json_text(list, 1) + "\n";
  }
  if (o.output.empty()) {
    context.print(text);
    return kSuccess;
  }
  TACHO_CHECK(write_file_atomically(o.output, text));
  context.say("wrote " + o.output);
  return kSuccess;
}

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
