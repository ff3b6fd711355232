#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/home.h"
#include "base/shell_words.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/compare_options.h"
#include "cli/compare_view.h"
#include "cli/train_options.h"
#include "experiments/compare/csv_view.h"
#include "experiments/compare/html_view.h"
#include "experiments/compare/text_view.h"
#include "experiments/predictions/prediction_recorder.h"
#include "experiments/runner/compared_values.h"
#include "experiments/runner/recorded_runs.h"

namespace tacho {
namespace {

constexpr const char* kCompareFooter =
    "Each block runs every variant once, in random order; the first block is the warm-up.\n"
    "Blocks are added until the intervals are as narrow as --resolution, or until --max-time or\n"
    "--max-repeat is reached. The last option that varies is compared; the others make groups.\n"
    "The runs and the comparison are stored.\n"
    "\n"
    "  tacho compare --vary batch=32,64 -- train lenet5 --data fashion-mnist -e 1\n"
    "  tacho compare --env bare,podman -- train lenet5 --data fashion-mnist\n"
    "  tacho compare --cmd 'python3 a.py' --cmd 'python3 b.py' --max-time 10m\n"
    "  tacho compare --runs 41,42,43/44,45,46\n"
    "  tacho compare --runs 'model=lenet5 batch=32/model=lenet5 batch=64'";

struct Outputs {
  bool json = false;
  std::string csv;
  std::string values;
  std::string html;
};

void declare(CLI::App& command, Outputs& outputs) {
  command.add_flag("--json", outputs.json, "print JSON");
  command.add_option("--csv", outputs.csv, "write the findings as CSV to this file")
      ->type_name("FILE");
  command
      .add_option("--values", outputs.values, "write the values of each run as CSV to this file")
      ->type_name("FILE");
  command.add_option("--html", outputs.html, "write an HTML page to this file")->type_name("FILE");
}

Result<void> write_files(const Comparison& comparison, const Outputs& outputs,
                         const Context& context) {
  const auto write = [&](const std::string& file, const auto& text_of) -> Result<void> {
    if (file.empty()) return {};
    TACHO_CHECK(write_file_atomically(file, text_of(comparison)));
    context.say("wrote " + file);
    return {};
  };
  TACHO_CHECK(write(outputs.csv, findings_csv));
  TACHO_CHECK(write(outputs.values, values_csv));
  return write(outputs.html, comparison_html);
}

Result<int> show(const KeptComparison& kept, const Outputs& outputs, const Context& context) {
  const Comparison& comparison = kept.comparison;
  if (outputs.json) {
    Json json = to_json(comparison);
    json["id"] = kept.id;
    context.print(json_text(json, 1) + "\n");
  } else {
    context.print(context.out.bold(fmt::format("comparison {}", kept.id)) + "  " +
                  comparison_text(comparison, context.out));
  }
  TACHO_CHECK(write_files(comparison, outputs, context));
  return kSuccess;
}

// Shows what was measured, even if the comparison failed or was interrupted.
Result<int> show_made(const KeptComparison& kept, const Outputs& outputs, const Context& context) {
  TACHO_CHECK(show(kept, outputs, context));
  const StopReason why = kept.comparison.stopped;
  if (why == StopReason::user) {
    context.warn(fmt::format("interrupted; resume with: tacho compare resume {}", kept.id));
  }
  return why == StopReason::user || why == StopReason::failures ? kFailure : kSuccess;
}

std::string typed(const CLI::App& command) {
  std::vector<std::string> words = {"tacho", "compare"};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional() && option->get_name() == "training") continue;
    const std::string name = option->get_name();
    for (const std::string& value : option->results()) {
      words.push_back(name);
      if (option->get_expected_max() > 0) words.push_back(value);
    }
  }
  return shell_quoted(words);
}

Result<void> check_metrics(const std::vector<std::string>& metrics) {
  for (const std::string& metric : metrics) {
    TACHO_CHECK(check_compared_metric(metric).in("--metric"));
  }
  return {};
}

Result<int> compare_recorded_runs(const CompareRequest& o, const std::string& line,
                                  const Outputs& outputs, const Context& context) {
  const bool alone = o.environments.empty() && o.vary.empty() && o.commands.empty() &&
                     o.words.empty() && o.max_time.empty() && !o.repeat && !o.max_repeat;
  if (!alone) {
    return Error{ErrorCode::usage,
                 "--runs compares recorded runs; leave out options that make new ones"};
  }
  TACHO_CHECK(check_metrics(o.metrics));
  TACHO_TRY(changes, rule_changes(o));
  const StopRule rule = changed({}, changes);
  TACHO_CHECK(check(rule));
  TACHO_TRY(groups, parse_recorded_groups(o.runs));
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(comparison,
            compare_recorded(store, groups, o.metrics, rule.resolution, o.include_disturbed));
  comparison.command = line;
  TACHO_TRY(kept, CompareRunner(home, store, interrupts()).keep(std::move(comparison)));
  return show(kept, outputs, context);
}

// Calls `work` with the runner and a view of its progress.
template <class Work>
Result<int> with_progress(const Work& work, const Outputs& outputs, const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  PredictionRecorder predictions(store, home / "tacho.db",
                                 [&](const std::string& problem) { context.warn(problem); });
  CompareRunner runner(home, store, interrupts(), &predictions);
  catch_interrupts();
  std::optional<CompareProgress> progress;
  progress.emplace(context.err);
  Result<KeptComparison> kept = work(runner, *progress);
  predictions.settle();
  progress.reset();
  if (!kept.ok()) return kept.error();
  return show_made(*kept, outputs, context);
}

Result<int> make_comparison(const CLI::App& command, const CompareRequest& o,
                            const Outputs& outputs, const Context& context) {
  std::string line = typed(command);
  if (!o.words.empty()) line += " -- " + shell_quoted(o.words);
  if (!o.runs.empty()) return compare_recorded_runs(o, line, outputs, context);
  TACHO_CHECK(check_metrics(o.metrics));
  TACHO_TRY(plan, plan_of(o, read_train_words));
  plan.command = line;
  return with_progress(
      [&](CompareRunner& runner, CompareView& view) { return runner.run(plan, view); }, outputs,
      context);
}

Result<int> resume(const std::string& handle, const CompareRequest& o, const Outputs& outputs,
                   const Context& context) {
  TACHO_TRY(changes, rule_changes(o));
  return with_progress([&](CompareRunner& runner,
                           CompareView& view) { return runner.resume(handle, changes, view); },
                       outputs, context);
}

Result<int> show_stored(const std::string& handle, const Outputs& outputs, const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(kept, CompareRunner(home, store, interrupts()).find(handle));
  return show(kept, outputs, context);
}

Result<int> list(bool json, const Context& context) {
  TACHO_TRY(store, context.open_store());
  TACHO_TRY(rows, store.comparisons().list());
  if (json) {
    Json all = Json::array();
    for (const ComparisonRow& row : rows) {
      all.push_back(
          {{"id", row.id}, {"key", row.key}, {"title", row.title}, {"started", row.started}});
    }
    context.print(json_text(all, 1) + "\n");
    return kSuccess;
  }
  if (rows.empty()) {
    context.print("no comparisons yet; see 'tacho compare --help'\n");
    return kSuccess;
  }
  Table table({{"id"}, {"started", Align::left}, {"what", Align::left}});
  for (const ComparisonRow& row : rows) {
    table.add({std::to_string(row.id), row.started.substr(0, 16), printable(row.title)});
  }
  context.print(table.text(context.out));
  return kSuccess;
}

Result<int> remove(const std::vector<std::string>& handles, const Context& context) {
  TACHO_TRY(home, tacho_home());
  TACHO_TRY(store, context.open_store());
  CompareRunner runner(home, store, interrupts());
  // Looks up all of them first, so that a wrong name removes nothing.
  for (const std::string& handle : handles) {
    TACHO_TRY(found, store.comparisons().find(handle));
    (void)found;
  }
  for (const std::string& handle : handles) {
    TACHO_TRY(id, runner.remove(handle));
    context.print(fmt::format("removed comparison {}; its runs are kept\n", id));
  }
  return kSuccess;
}

void add_stored_commands(CLI::App& compare, Context& context) {
  CLI::App* ls = compare.add_subcommand("ls", "list comparisons");
  auto json = std::make_shared<bool>(false);
  ls->add_flag("--json", *json, "print JSON");
  ls->callback([=, &context] { context.run([&] { return list(*json, context); }); });

  auto handle = std::make_shared<std::string>();
  auto outputs = std::make_shared<Outputs>();
  CLI::App* shown = compare.add_subcommand("show", "show a comparison");
  shown->add_option("comparison", *handle, "id or key of a comparison, or 'last'")->required();
  declare(*shown, *outputs);
  shown->callback(
      [=, &context] { context.run([&] { return show_stored(*handle, *outputs, context); }); });

  auto rule = std::make_shared<CompareRequest>();
  CLI::App* resumed = compare.add_subcommand("resume", "continue a comparison that was stopped");
  resumed->add_option("comparison", *handle, "id or key of a comparison, or 'last'")->required();
  declare_rule(*resumed, *rule);
  declare(*resumed, *outputs);
  resumed->callback(
      [=, &context] { context.run([&] { return resume(*handle, *rule, *outputs, context); }); });

  CLI::App* rm = compare.add_subcommand("rm", "remove comparisons, but not their runs");
  auto handles = std::make_shared<std::vector<std::string>>();
  rm->add_option("comparison", *handles, "ids or keys of comparisons")->required();
  rm->callback([=, &context] { context.run([&] { return remove(*handles, context); }); });
}

}  // namespace

void add_compare_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("compare", "compare environments, options or programs");
  auto o = std::make_shared<CompareRequest>();
  auto outputs = std::make_shared<Outputs>();
  declare(*command, *o);
  command->add_option("training", o->words, "after --: train and its options")
      ->option_text("[-- train MODEL ...]");
  declare(*command, *outputs);
  command->footer(kCompareFooter);
  add_stored_commands(*command, context);
  command->callback([=, &context] {
    if (!command->get_subcommands().empty()) return;
    if (!context.behind_dashes.empty()) o->words = context.behind_dashes;
    context.run([&] { return make_comparison(*command, *o, *outputs, context); });
  });
}

}  // namespace tacho
