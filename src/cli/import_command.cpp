#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/home.h"
#include "cli/commands.h"
#include "core/store/run_tables.h"
#include "experiments/exchange/foreign_runs.h"
#include "experiments/exchange/import_run.h"

namespace tacho {
namespace {

struct ImportOptions {
  std::vector<std::string> paths;
  std::string step;
  bool json = false;
};

Json imported_json(const ImportedRun& imported, const PortableRun& run) {
  return {{"run", imported.id},
          {"key", imported.record.order.key},
          {"name", run.described.name},
          {"change", kImportChanges.of(imported.change)},
          {"tool", run.tool},
          {"source", run.source.string()},
          {"points", run.points.size()},
          {"outcome", kOutcomes.of(run.outcome)}};
}

Result<int> import_runs(const ImportOptions& o, const Context& context) {
  // Reads all of them first, so that a wrong path imports nothing.
  std::vector<PortableRun> runs;
  for (const std::string& path : o.paths) {
    TACHO_TRY(found, read_foreign_runs(path, o.step));
    for (PortableRun& run : found) runs.push_back(std::move(run));
  }
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  Json list = Json::array();
  for (const PortableRun& run : runs) {
    TACHO_TRY(imported, import_run(run, home, store).in(run.source.string()));
    if (o.json) {
      list.push_back(imported_json(imported, run));
    } else {
      context.print(fmt::format("run {}  {}  {}  {}: {} points of {}\n", imported.id,
                                printable(run.described.name), kOutcomes.of(run.outcome),
                                kImportChanges.of(imported.change), run.points.size(),
                                printable(run.source.string())));
    }
  }
  if (o.json) context.print(json_text(list, 1) + "\n");
  return kSuccess;
}

}  // namespace

void add_import_command(CLI::App& runs, Context& context) {
  CLI::App* command = runs.add_subcommand(
      "import", "import runs of W&B, MLflow, TensorBoard, CSV and JSON Lines files");
  auto o = std::make_shared<ImportOptions>();
  command
      ->add_option("path", o->paths,
                   "folders or files: wandb/, mlruns/, mlflow.db, a folder with event files, "
                   "*.csv, *.jsonl")
      ->required();
  command->add_option("--step", o->step,
                      "name of the step in CSV and JSON Lines (default: _step or step, else the "
                      "first column)");
  command->add_flag("--json", o->json, "print JSON");
  command->callback([o, &context] { context.run([&] { return import_runs(*o, context); }); });
}

}  // namespace tacho
