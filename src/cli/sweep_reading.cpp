#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <thread>

#include "base/file.h"
#include "base/home.h"
#include "base/secrets.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/sweep_live.h"
#include "cli/sweep_work.h"
#include "experiments/runner/sweep_export.h"
#include "experiments/runner/sweep_runner.h"
#include "experiments/runner/sweep_tables.h"

namespace tacho {

Result<Stores> open_stores(const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(runs, context.open_store());
  TACHO_TRY(sweeps, SweepStore::open(home / "tacho.db"));
  return Stores{home, std::move(runs), std::move(sweeps)};
}

Result<const Metric*> sweep_metric(const std::string& key) {
  if (key.empty()) return static_cast<const Metric*>(nullptr);
  return find_metric(key);
}

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

Result<int> list_sweeps(bool json, const Context& context) {
  TACHO_TRY(stores, open_stores(context));
  TACHO_TRY(sweeps, stores.sweeps.list());
  const SweepRunner runner(stores.home, stores.sweeps, interrupts());
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
    const std::string stage = stage_of(runner, sweep);
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
  TACHO_TRY(metric, sweep_metric(o.sort));
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
                 {"grid", without_secrets(std::string_view(sweep.grid))},
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
  const SweepRunner runner(stores.home, stores.sweeps, interrupts());
  std::string before;
  while (true) {
    TACHO_TRY(sweep, stores.sweeps.find(std::to_string(found.id)));
    const std::string stage = stage_of(runner, sweep);
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

}  // namespace tacho
