#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/file.h"
#include "base/json_object.h"
#include "cli/commands.h"
#include "cli/evaluation_view.h"
#include "cli/own_runs_here.h"
#include "cli/regret_evaluation.h"
#include "cli/speed_model_files.h"
#include "predict/likeness_file.h"

namespace tacho {
namespace {

struct EvaluateOptions {
  std::optional<std::string> catalog;
  std::optional<std::string> rows;
  std::optional<std::string> likeness;
  std::vector<std::string> splits;
  std::vector<std::string> regret;
  std::uint64_t seed = 1;
  std::size_t folds = 5;
  std::size_t own_folds = 10;
  std::size_t lessons = SpeedModel::Effort{}.lessons;
  bool json = false;
  bool include_disturbed = false;
};

constexpr std::string_view kOwnSplit = "own";          // runs of this store
constexpr std::string_view kShippedSplit = "shipped";  // runs of data/corpus, on other machines

struct AskedSplits {
  bool own = false;
  bool shipped = false;
  std::vector<SplitKind> published;
};

Result<AskedSplits> asked_splits(const EvaluateOptions& o) {
  AskedSplits asked;
  for (const std::string& word : o.splits) {
    if (word == kOwnSplit || word == kShippedSplit) {
      (word == kOwnSplit ? asked.own : asked.shipped) = true;
      continue;
    }
    const auto kind = kSplitKinds.parse(word);
    if (!kind.ok()) {
      return Error{kind.error().code,
                   kind.error().message +
                       "; 'own' is of the runs of this store, 'shipped' of those of data/corpus"};
    }
    asked.published.push_back(*kind);
  }
  if (o.splits.empty()) {
    asked.own = asked.shipped = true;
    for (const auto& [kind, name] : kSplitKinds.table) asked.published.push_back(kind);
  }
  return asked;
}

// Of the store, or of data/corpus.
Result<std::vector<OwnRun>> runs_of(std::string_view split, const EvaluateOptions& o,
                                    const Context& context) {
  if (split == kShippedSplit) return shipped_own_runs();
  TACHO_TRY(store, context.open_store());
  return stored_own_runs(store, o.include_disturbed);
}

Result<OwnEvaluation> evaluate_runs_of(std::string_view split, const EvaluateOptions& o,
                                       const Context& context) {
  TACHO_TRY(runs, runs_of(split, o, context));
  TACHO_TRY(costs, shipped_own_model_costs());
  TACHO_TRY(scores, evaluate_own(runs, costs, o.own_folds, o.seed));
  if (o.json) return scores;
  if (scores.step.empty()) {
    context.print(
        fmt::format("{}: no machine has the {} configurations that {} folds need; its {} "
                    "runs are not scored\n\n",
                    split, 2 * o.own_folds, o.own_folds, runs.size()));
  } else {
    context.print(own_scores_table(split, scores, context.out) + "\n");
  }
  return scores;
}

Result<int> evaluate_regrets(const EvaluateOptions& o, const Context& context) {
  std::vector<RegretOfSweeps> scores;
  for (const std::string& word : o.regret) {
    if (word == kOwnSplit || word == kShippedSplit) {
      TACHO_TRY(runs, runs_of(word, o, context));
      TACHO_TRY(own, evaluate_recommendations(runs));
      scores.insert(scores.end(), own.begin(), own.end());
    } else if (word == "published") {
      TACHO_TRY(published, evaluate_published_recommendations());
      scores.push_back(published);
    } else {
      return Error{ErrorCode::usage,
                   fmt::format("--regret: '{}' is none of 'own', 'shipped' and 'published'", word)};
    }
  }
  context.print(o.json ? json_text(regret_json(scores), 1) + "\n"
                       : regret_table(scores, context.out));
  return kSuccess;
}

// In the shares in which the shipped model learns.
SpeedModel::Effort effort_of(const EvaluateOptions& o) {
  const SpeedModel::Effort whole;
  return {.lessons = o.lessons,
          .of_a_source = whole.of_a_source * o.lessons / whole.lessons,
          .rehearsal = whole.rehearsal * o.lessons / whole.lessons,
          .threads = worker_threads()};
}

Result<int> write_likeness(const EvaluateOptions& o, const Context& context) {
  TACHO_TRY(published, read_published_jobs(o.catalog));
  context.say(fmt::format("{}: what of {} measured jobs is learned from, some GPUs hidden",
                          *o.likeness, published.lessons.size()));
  TACHO_TRY(text, likeness_text(std::move(published.lessons), effort_of(o)));
  TACHO_CHECK(write_file_atomically(*o.likeness, text));
  return kSuccess;
}

Result<int> evaluate_for_user(const EvaluateOptions& o, const Context& context) {
  if (!o.regret.empty()) return evaluate_regrets(o, context);
  if (o.folds < 2 || o.folds > 50 || o.own_folds < 2 || o.own_folds > 50) {
    return Error{ErrorCode::usage,
                 "--folds and --own-folds: between 2 and 50 parts can be left out in turn"};
  }
  if (o.lessons < 100 || o.lessons > 20000) {
    return Error{ErrorCode::usage, "--lessons: between 100 and 20000 jobs can be learned from"};
  }
  if (o.likeness) return write_likeness(o, context);
  TACHO_TRY(asked, asked_splits(o));
  if (o.rows && asked.published.empty()) {
    return Error{ErrorCode::usage, "--rows: has a line for each published job; name their splits"};
  }
  OwnEvaluation own;
  if (asked.own) {
    TACHO_TRY(made, evaluate_runs_of(kOwnSplit, o, context));
    own = std::move(made);
  }
  OwnEvaluation shipped;
  if (asked.shipped) {
    TACHO_TRY(made, evaluate_runs_of(kShippedSplit, o, context));
    shipped = std::move(made);
  }
  std::vector<SplitScore> scores;
  if (!asked.published.empty()) {
    TACHO_TRY(published, read_published_jobs(o.catalog));
    const Evaluation how{.folds = o.folds, .seed = o.seed, .effort = effort_of(o)};
    std::string rows = foretold_csv_headings();
    for (const SplitKind kind : asked.published) {
      std::size_t done = 0;
      TACHO_TRY(foretold, foretell_hidden(published.lessons, kind, how, [&] {
                  context.say(fmt::format("{}: {} of {}", kSplitKinds.of(kind), ++done, o.folds));
                }));
      scores.push_back(score(published.lessons, kind, foretold));
      rows += foretold_csv_lines(published.lessons, kind, foretold);
    }
    if (o.rows) TACHO_CHECK(write_file_atomically(*o.rows, rows));
    if (!o.json) context.print(published_scores_table(scores, context.out));
  }
  if (o.json) context.print(json_text(evaluation_json(own, shipped, scores), 1) + "\n");
  return kSuccess;
}

}  // namespace

void add_evaluate_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "evaluate", "how far predictions are off for jobs that were not learned from");
  auto o = std::make_shared<EvaluateOptions>();
  command->add_option("--split", o->splits,
                      "own, shipped, unseen-gpu, -model, -both, -nodes, -growth, …; see below");
  command->add_option("--folds", o->folds, "parts the groups are dealt into")
      ->capture_default_str();
  command->add_option("--own-folds", o->own_folds, "the same for configurations of own runs")
      ->capture_default_str();
  command->add_option("--lessons", o->lessons, "published jobs to learn from; fewer are faster")
      ->capture_default_str();
  command->add_option("--seed", o->seed, "how they are dealt")->capture_default_str();
  command->add_option("--catalog", o->catalog, "folder of published jobs (what comes with Tacho)");
  command->add_option("--rows", o->rows, "CSV file to write, a line for each published job");
  command->add_option("--regret", o->regret,
                      "score recommendations of own, shipped or published runs");
  command->add_option("--likeness", o->likeness,
                      "JSON file to write instead: lessons, terms, for script/tune-likeness");
  command->add_flag("--json", o->json, "for programs");
  command
      ->add_flag("--include-disturbed", o->include_disturbed,
                 "learn also from runs that the machine was too busy for")
      ->envname("TACHO_INCLUDE_DISTURBED");
  command->footer(
      "Splits: own (runs of this store), shipped (runs that come with Tacho), unseen-gpu,\n"
      "unseen-model, unseen-both, unseen-nodes, unseen-growth, unseen-source, unseen-job; all if\n"
      "none is named. Fits the model again for every held-out part: takes minutes; own and\n"
      "shipped take seconds.");
  command->callback([o, &context] { context.run([&] { return evaluate_for_user(*o, context); }); });
}

}  // namespace tacho
