#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/json_object.h"
#include "base/table.h"
#include "cli/commands.h"
#include "cli/speed_model_files.h"
#include "predict/evaluate.h"

namespace tacho {
namespace {

struct EvaluateOptions {
  std::optional<std::string> catalog;
  std::vector<std::string> splits;
  std::uint64_t seed = 1;
  std::size_t folds = 5;
  bool json = false;
};

Json score_json(const SplitScore& score) {
  return Json{{"split", kSplitKinds.of(score.kind)},
              {"jobs", score.jobs},
              {"median_error", score.median_error},
              {"mean_error", score.mean_error},
              {"p90_error", score.p90_error},
              {"coverage_of_90_percent_intervals", score.coverage},
              {"out_of_domain", score.out_of_domain},
              {"out_of_domain_median_error", score.out_median_error}};
}

std::string table_of(const std::vector<SplitScore>& scores, const Terminal& terminal) {
  Table table({{"published jobs, …", Align::left},
               {"jobs"},
               {"median"},
               {"mean"},
               {"90th"},
               {"covered"},
               {"abstained"}});
  for (const SplitScore& score : scores) {
    table.add({std::string(kSplitKinds.of(score.kind)), fmt::format("{}", score.jobs),
               human_share(score.median_error), human_share(score.mean_error),
               human_share(score.p90_error), human_share(score.coverage),
               fmt::format("{}", score.out_of_domain)});
  }
  return table.text(terminal);
}

Result<int> evaluate_for_user(const EvaluateOptions& o, const Context& context) {
  if (o.folds < 2 || o.folds > 50) {
    return Error{ErrorCode::usage, "--folds: between 2 and 50 parts can be left out in turn"};
  }
  std::vector<SplitKind> kinds;
  for (const std::string& word : o.splits) {
    TACHO_TRY(kind, kSplitKinds.parse(word));
    kinds.push_back(kind);
  }
  if (kinds.empty()) {
    for (const auto& [kind, name] : kSplitKinds.table) kinds.push_back(kind);
  }
  TACHO_TRY(published, read_published_jobs(o.catalog));
  const Evaluation how{.folds = o.folds, .seed = o.seed, .effort = {.threads = worker_threads()}};
  std::vector<SplitScore> scores;
  for (const SplitKind kind : kinds) {
    std::size_t done = 0;
    TACHO_TRY(score, evaluate(published.lessons, kind, how, [&] {
                context.say(fmt::format("{}: {} of {}", kSplitKinds.of(kind), ++done, o.folds));
              }));
    scores.push_back(score);
  }
  if (o.json) {
    Json list = Json::array();
    for (const SplitScore& score : scores) list.push_back(score_json(score));
    context.print(json_text(list, 1) + "\n");
  } else {
    context.print(table_of(scores, context.out));
  }
  return kSuccess;
}

}  // namespace

void add_evaluate_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "how far predictions are off for jobs that were not learned from");
  auto o = std::make_shared<EvaluateOptions>();
  command->add_option("--split", o->splits,
                      "unseen-gpu, -model, -both, -nodes or -source (all)");
  command->add_option("--folds", o->folds, "parts the groups are dealt into")->capture_default_str();
  command->add_option("--seed", o->seed, "how they are dealt")->capture_default_str();
  command->add_option("--catalog", o->catalog, "folder of published jobs (what comes with Tacho)");
  command->add_flag("--json", o->json, "for programs");
  command->footer("Learns anew for every part that is left out: takes some minutes.");
  command->callback([o, &context] { context.run([&] { return evaluate_for_user(*o, context); }); });
}

}  // namespace tacho
