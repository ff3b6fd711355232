#include <fmt/chrono.h>
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ctime>
#include <memory>

#include "base/csv.h"
#include "base/file.h"
#include "base/home.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/run_report.h"
#include "cli/served_folder.h"
#include "core/record/metric.h"
#include "core/store/run_tables.h"
#include "experiments/exchange/export_runs.h"
#include "experiments/exchange/run_history.h"
#include "experiments/runner/run_state.h"
#include "serving/dashboard/run_detail.h"

namespace tacho {
namespace {

constexpr std::string_view kSafetensors = "safetensors";

struct ListOptions {
  std::vector<std::string> where;
  std::string sort = "id";
  bool ascending = false;
  std::int64_t limit = 20;  // 0: none
  bool all = false;
  bool archived = false;
  bool json = false;
  bool csv = false;
  bool brief = false;
  std::string table = "runs";
  std::string output;
  std::string format;
  std::string checkpoint = "last";
  std::vector<std::string> runs;
};

void declare_query(CLI::App& command, ListOptions& o) {
  command.add_option("--where,-w", o.where,
                     "filter, such as 'model=lenet5', 'top1>0.85' or 'outcome!=ok' (repeatable)");
  command.add_option("--sort,-s", o.sort, "column to sort by: id, model, top1, step_s, …")
      ->capture_default_str();
  command.add_flag("--ascending", o.ascending, "sort in ascending order");
  command.add_option("--limit,-n", o.limit, "largest number of runs; 0 for all")
      ->capture_default_str();
  command.add_flag("--all,-a", o.all, "show all");
  command.add_flag("--archived", o.archived, "include archived runs");
}

Result<RunQuery> query_of(const ListOptions& o) {
  RunQuery query;
  for (const std::string& text : o.where) {
    TACHO_TRY(filter, parse_filter(text));
    query.filters.push_back(filter);
  }
  TACHO_TRY(column, find_column(o.sort));
  query.sort = column->name;
  query.descending = !o.ascending;
  query.hides_archived = !o.archived;
  if (o.limit < 0) return Error{ErrorCode::usage, "--limit must not be negative"};
  query.limit = o.all || o.limit == 0 ? INT64_MAX : o.limit;
  return query;
}

std::string when(double unix_seconds) {
  return fmt::format("{:%m-%d %H:%M}", fmt::localtime(static_cast<std::time_t>(unix_seconds)));
}

std::string shown(const RunRow& row, const Metric& wanted) {
  for (std::size_t i = 0; i < metric::kAll.size(); ++i) {
    if (metric::kAll[i].key == wanted.key && row.metrics[i]) return human(wanted, *row.metrics[i]);
  }
  return "-";
}

Result<int> list_runs(const ListOptions& o, const Context& context) {
  TACHO_TRY(query, query_of(o));
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(rows, store.list(query));
  if (o.json || o.csv) {
    context.print(o.csv ? runs_csv(rows) : json_text(runs_json(rows), 1) + "\n");
    return kSuccess;
  }
  if (rows.empty()) {
    context.print(o.where.empty() ? "no runs yet; start with: tacho train mnist-cnn --data "
                                    "fashion-mnist -b 64 -e 3\n"
                                  : "no runs match\n");
    return kSuccess;
  }
  // A watched program that gave itself a name is listed by it.
  const bool named = std::ranges::any_of(
      rows, [](const RunRow& row) { return !row.name.empty() && row.name != row.model; });
  const bool tagged =
      std::ranges::any_of(rows, [](const RunRow& row) { return !row.tags.empty(); });
  std::vector<Table::Heading> headings = {{"id"}, {"started", Align::left}};
  if (named) headings.push_back({"name", Align::left});
  headings.insert(headings.end(), {{"model", Align::left},
                                   {"data", Align::left},
                                   {"batch"},
                                   {"top-1"},
                                   {"samples/s"},
                                   {"wall"},
                                   {"outcome", Align::left}});
  if (tagged) headings.push_back({"tags", Align::left});
  Table table(headings);
  for (const RunRow& row : rows) {
    std::vector<std::string> cells = {std::to_string(row.id), when(row.created_at)};
    if (named) cells.push_back(printable(row.name));
    cells.insert(cells.end(),
                 {row.model, row.data, row.batch == 0 ? "-" : std::to_string(row.batch),
                  shown(row, metric::kTop1), shown(row, metric::kSamplesPerS),
                  shown(row, metric::kWallS), std::string(kOutcomes.of(row.outcome))});
    if (tagged) cells.push_back(printable(row.tags));
    table.add(std::move(cells));
  }
  context.print(table.text(context.out));
  TACHO_TRY(total, store.count(query));
  if (total > static_cast<std::int64_t>(rows.size())) {
    context.say(fmt::format("{} of {} runs; --all shows all", rows.size(), total));
  }
  return kSuccess;
}

Result<int> show_run(const std::string& handle, bool json, const Context& context) {
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(run, store.find(handle));
  if (json) {
    context.print(json_text(record_json(run.row.id, run.record), 1) + "\n");
    return kSuccess;
  }
  context.print(run_report(run.row.id, run.record, context.out));
  context.print(context.out.dim("folder   ") + " " + run.row.folder.string() + "\n");
  return kSuccess;
}

// The runs that are named, or else all that match.
Result<std::vector<StoredRun>> chosen_runs(const ListOptions& o, RunStore& store) {
  std::vector<std::string> handles = o.runs;
  if (handles.empty()) {
    TACHO_TRY(query, query_of(o));
    TACHO_TRY(rows, store.list(query));
    for (const RunRow& row : rows) handles.push_back(std::to_string(row.id));
  }
  std::vector<StoredRun> runs;
  for (const std::string& handle : handles) {
    TACHO_TRY(run, serve::find_run(store, handle));
    runs.push_back(std::move(run));
  }
  return runs;
}

Result<std::string> export_text(const ListOptions& o, RunStore& store) {
  TACHO_TRY(table, kRunTables.parse(o.table));
  if (table == RunTable::runs && o.csv && o.runs.empty()) {
    TACHO_TRY(query, query_of(o));
    TACHO_TRY(rows, store.list(query));
    return runs_csv(rows);
  }
  TACHO_TRY(runs, chosen_runs(o, store));
  if (o.csv) return table_csv(table, runs);
  return json_text(o.brief ? brief_records_json(std::move(runs)) : records_json(runs), 1) + "\n";
}

// Writes all that the runs logged, for other tools.
Result<int> export_history(const ListOptions& o, RunStore& store, const Context& context) {
  TACHO_TRY(format, kExportFormats.parse(o.format));
  if (o.csv || o.json || o.table != "runs" || o.output.empty()) {
    return Error{ErrorCode::usage,
                 "--format needs a file or folder to write, -o PATH, and no --csv, --json or "
                 "--table"};
  }
  TACHO_TRY(chosen, chosen_runs(o, store));
  if (chosen.empty()) return Error{ErrorCode::not_found, "no runs match; see 'tacho runs ls'"};
  std::vector<PortableRun> runs;
  for (const StoredRun& stored : chosen) {
    TACHO_TRY(run, portable_run(stored));
    if (run.points.empty() && o.runs.empty() && format != ExportFormat::mlflow) {
      context.warn(fmt::format("run {} has no figures and is left out", stored.row.id));
      continue;
    }
    runs.push_back(std::move(run));
  }
  TACHO_TRY(written, export_runs(runs, format, o.output));
  for (const auto& path : written) context.print("wrote " + path.string() + "\n");
  return kSuccess;
}

// Torch merges adapters, so the worker writes the file.
Result<int> export_weights(const ListOptions& o, const Context& context) {
  if (o.runs.size() != 1 || o.output.empty() || o.csv || o.json) {
    return Error{ErrorCode::usage,
                 "--format safetensors writes the weights of one run: tacho runs export RUN "
                 "--format safetensors -o model.safetensors"};
  }
  TACHO_TRY(checkpoint, kCheckpointKinds.parse(o.checkpoint));
  TACHO_TRY(folder, served_folder(o.runs.front(), context));
  const auto file = std::filesystem::absolute(o.output);
  return become_worker(
      {"export", folder.string(), file.string(), std::string(kCheckpointKinds.of(checkpoint))});
}

Result<int> export_runs(const ListOptions& o, const Context& context) {
  if (o.format == kSafetensors) return export_weights(o, context);
  if (o.checkpoint != "last") {
    return Error{ErrorCode::usage, "--checkpoint is for --format safetensors"};
  }
  if (o.format.empty() && o.csv == o.json) {
    return Error{ErrorCode::usage, "choose one of --csv, --json and --format"};
  }
  if (o.json && o.table != "runs") {
    return Error{ErrorCode::usage, "--table is for --csv; --json writes whole records"};
  }
  if (o.brief && o.csv) return Error{ErrorCode::usage, "--brief is for --json"};
  if (!o.runs.empty() && (!o.where.empty() || o.sort != "id")) {
    return Error{ErrorCode::usage,
                 "--where and --sort select from all runs; give runs, or a filter"};
  }
  TACHO_TRY(store, context.open_store());
  if (!o.format.empty()) return export_history(o, store, context);
  TACHO_TRY(text, export_text(o, store));
  if (o.output.empty()) {
    context.print(text);
    return kSuccess;
  }
  TACHO_CHECK(write_file_atomically(o.output, text));
  context.say("wrote " + o.output);
  return kSuccess;
}

Result<int> remove_runs(const std::vector<std::string>& handles, bool keep_files,
                        const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  // Looks up all of them first, so that a wrong name removes nothing.
  std::vector<RunRow> rows;
  for (const std::string& handle : handles) {
    TACHO_TRY(run, store.find(handle));
    if (is_being_worked_on(RunFolder(run.row.folder))) {
      return Error{ErrorCode::usage,
                   fmt::format("run {} is still running; stop it first", run.row.id)};
    }
    const bool again = std::any_of(rows.begin(), rows.end(),
                                   [&](const RunRow& row) { return row.id == run.row.id; });
    if (!again) rows.push_back(run.row);
  }
  Runner runner = context.runner(store, home);
  for (const RunRow& row : rows) {
    TACHO_TRY(with_folder, runner.remove(row, keep_files));
    context.print(fmt::format("removed run {}{}\n", row.id,
                              with_folder ? "" : "; its folder is kept: " + row.folder.string()));
  }
  return kSuccess;
}

Result<int> ingest_runs(const std::vector<std::string>& folders, bool json,
                        const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  Runner runner = context.runner(store, home);
  for (const std::string& folder : folders) {
    TACHO_TRY(run, runner.ingest(folder));
    if (json) {
      context.print(json_text(record_json(run.id, run.record), 1) + "\n");
    } else {
      context.print(fmt::format("run {}  {}  {}\n", run.id, run.record.order.key,
                                kOutcomes.of(run.record.outcome)));
    }
  }
  return kSuccess;
}

}  // namespace

void add_runs_command(CLI::App& app, Context& context) {
  CLI::App* runs = app.add_subcommand("runs", "list, show, edit, export, import and remove runs");
  runs->require_subcommand(1);

  CLI::App* ls = runs->add_subcommand("ls", "list runs");
  auto list = std::make_shared<ListOptions>();
  declare_query(*ls, *list);
  ls->add_flag("--json", list->json, "print JSON");
  ls->add_flag("--csv", list->csv, "print CSV")->excludes("--json");
  ls->callback([list, &context] { context.run([&] { return list_runs(*list, context); }); });

  CLI::App* show = runs->add_subcommand("show", "show a run");
  auto shown_run = std::make_shared<std::string>();
  auto as_json = std::make_shared<bool>(false);
  show->add_option("run", *shown_run, "id or key of a run, or 'last'")->required();
  show->add_flag("--json", *as_json, "print JSON");
  show->callback(
      [=, &context] { context.run([&] { return show_run(*shown_run, *as_json, context); }); });

  add_history_command(*runs, context);
  add_runs_edit_command(*runs, context);

  CLI::App* out = runs->add_subcommand("export", "export runs as CSV or JSON, or for other tools");
  auto exported = std::make_shared<ListOptions>();
  exported->limit = 0;
  out->add_option("run", exported->runs, "ids or keys of runs (default: all that match)");
  declare_query(*out, *exported);
  out->add_flag("--csv", exported->csv, "print CSV");
  out->add_flag("--json", exported->json, "print JSON");
  out->add_flag("--brief", exported->brief,
                "with --json: leave out the values of each step, keep the last ones");
  out->add_option("--table", exported->table, "table for --csv: runs, epochs or steps")
      ->capture_default_str();
  out->add_option("--output,-o", exported->output, "write to this file or folder")
      ->type_name("PATH");
  out->add_option("--format", exported->format,
                  "write all that the runs logged: csv, jsonl, mlflow, parquet or tensorboard; or "
                  "the weights of a run: safetensors");
  out->add_option("--checkpoint", exported->checkpoint,
                  "checkpoint of the weights: last, or best of a run with --keep best (default: "
                  "last)")
      ->type_name("WHICH");
  out->callback(
      [exported, &context] { context.run([&] { return export_runs(*exported, context); }); });

  CLI::App* rm = runs->add_subcommand("rm", "remove runs and their folders");
  auto removed = std::make_shared<std::vector<std::string>>();
  auto keep_files = std::make_shared<bool>(false);
  rm->add_option("run", *removed, "ids or keys of runs")->required();
  rm->add_flag("--keep-files", *keep_files, "keep the folders");
  rm->callback(
      [=, &context] { context.run([&] { return remove_runs(*removed, *keep_files, context); }); });

  add_import_command(*runs, context);

  CLI::App* ingest = runs->add_subcommand("ingest", "read run folders into the store");
  auto folders = std::make_shared<std::vector<std::string>>();
  auto ingest_json = std::make_shared<bool>(false);
  ingest->add_option("folder", *folders, "folders with spec.json and events.jsonl")->required();
  ingest->add_flag("--json", *ingest_json, "print JSON");
  ingest->callback(
      [=, &context] { context.run([&] { return ingest_runs(*folders, *ingest_json, context); }); });
}

}  // namespace tacho
