#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "base/file.h"
#include "base/json_object.h"
#include "cli/commands.h"
#include "experiments/predictions/own_runs_here.h"
#include "experiments/predictions/regret_evaluation.h"
#include "experiments/predictions/speed_model_files.h"
#include "experiments/predictions/traced_evaluation.h"
#include "predict/accuracy/evaluate_runs.h"
#include "predict/decoder/decoder_evaluation.h"
#include "predict/speed/covariance_file.h"
#include "predict/speed/evaluation_view.h"
#include "predict/speed/fit_cpu.h"
#include "predict/speed/fit_own_speed.h"
#include "predict/speed/own_models_table.h"
#include "predict/speed/shipped.h"

namespace tacho {
namespace {

struct EvaluateOptions {
  std::optional<std::string> catalog;
  std::optional<std::string> rows;
  std::optional<std::string> covariance;
  std::vector<std::string> splits;
  std::vector<std::string> regret;
  std::uint64_t seed = 1;
  std::size_t folds = 5;
  std::size_t own_folds = 10;
  std::size_t examples = SpeedModel::Effort{}.examples;
  bool json = false;
  bool include_disturbed = false;
};

constexpr std::string_view kOwnSplit = "own";           // runs of this store
constexpr std::string_view kShippedSplit = "shipped";   // runs of data/corpus, on other machines
constexpr std::string_view kDecoderSplit = "decoders";  // published jobs of language models
constexpr std::string_view kCifar10Split = "cifar10-runs";  // published trainings
constexpr std::string_view kTracedSplit = "traced";  // traced programs, published on other GPUs

struct AskedSplits {
  bool own = false;
  bool shipped = false;
  bool cifar10 = false;
  bool decoders = false;
  bool traced = false;
  std::vector<SplitKind> published;
};

Result<AskedSplits> asked_splits(const EvaluateOptions& o) {
  AskedSplits asked;
  for (const std::string& word : o.splits) {
    if (word == kOwnSplit || word == kShippedSplit) {
      (word == kOwnSplit ? asked.own : asked.shipped) = true;
      continue;
    }
    if (word == kCifar10Split || word == kDecoderSplit) {
      (word == kCifar10Split ? asked.cifar10 : asked.decoders) = true;
      continue;
    }
    if (word == kTracedSplit) {
      asked.traced = true;
      continue;
    }
    const auto kind = kSplitKinds.parse(word);
    if (!kind.ok()) {
      return Error{
          kind.error().code,
          kind.error().message +
              "; or 'own' for the runs of this store, 'shipped' for those of data/corpus, "
              "'decoders' for language models, 'cifar10-runs' for published trainings, 'traced' "
              "for traced programs"};
    }
    asked.published.push_back(*kind);
  }
  if (o.splits.empty()) {
    asked.own = asked.shipped = asked.decoders = asked.cifar10 = asked.traced = true;
    for (const auto& [kind, name] : kSplitKinds.table) asked.published.push_back(kind);
  }
  return asked;
}

// Reads the runs of the store, or of data/corpus.
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
        fmt::format("{}: no machine has the {} configurations that {} folds need; the {} runs are "
                    "not scored\n\n",
                    split, 2 * o.own_folds, o.own_folds, runs.size()));
  } else {
    context.print(own_scores_table(split, scores, context.out) + "\n");
  }
  return scores;
}

Result<std::vector<DecoderScore>> evaluate_decoder_models(const EvaluateOptions& o,
                                                          const Context& context) {
  TACHO_TRY(gpus, GpuCatalog::parse(shipped_gpus_csv()).in("gpus.csv"));
  TACHO_TRY(predictor, DecoderPredictor::open(gpus));
  std::vector<DecoderScore> scores = evaluate_decoders(predictor);
  if (!o.json) context.print(decoder_scores_table(scores, context.out) + "\n");
  return scores;
}

Result<std::vector<OwnSpeedScore>> evaluate_own_models() {
  TACHO_TRY(gpus, GpuCatalog::parse(shipped_gpus_csv()).in("gpus.csv"));
  TACHO_TRY(layers, shipped_own_layers());
  TACHO_TRY(runs, shipped_own_runs());
  TACHO_TRY(published, read_measured_jobs(shipped_throughput_csv()).in("throughput.csv"));
  TACHO_TRY(scores, evaluate_own_speed(own_configurations(runs, gpus), published, layers, gpus));
  TACHO_TRY(cpus, shipped_cpus());
  TACHO_TRY(on_cpus, cpu_examples(runs, layers, cpus));
  TACHO_TRY(cpu_scores, evaluate_cpu(on_cpus, layers));
  scores.insert(scores.end(), cpu_scores.begin(), cpu_scores.end());
  return std::move(scores);
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
                   fmt::format("--regret: '{}' is not 'own', 'shipped' or 'published'", word)};
    }
  }
  context.print(o.json ? json_text(regret_json(scores), 1) + "\n"
                       : regret_table(scores, context.out));
  return kSuccess;
}

// Keeps the proportions of the shipped model.
SpeedModel::Effort effort_of(const EvaluateOptions& o) {
  const SpeedModel::Effort whole;
  return {.examples = o.examples,
          .of_a_source = whole.of_a_source * o.examples / whole.examples,
          .cross_validation = whole.cross_validation * o.examples / whole.examples,
          .threads = worker_threads()};
}

Result<int> write_covariance(const EvaluateOptions& o, const Context& context) {
  TACHO_TRY(published, read_published_jobs(o.catalog));
  context.say(
      fmt::format("{}: computing the covariance terms of {} measured jobs, with some GPUs held out",
                  *o.covariance, published.examples.size()));
  TACHO_TRY(text, covariance_text(std::move(published.examples), effort_of(o)));
  TACHO_CHECK(write_file_atomically(*o.covariance, text));
  return kSuccess;
}

Result<int> evaluate_for_user(const EvaluateOptions& o, const Context& context) {
  if (!o.regret.empty()) return evaluate_regrets(o, context);
  if (o.folds < 2 || o.folds > 50 || o.own_folds < 2 || o.own_folds > 50) {
    return Error{ErrorCode::usage, "--folds and --own-folds must be between 2 and 50"};
  }
  if (o.examples < 100 || o.examples > 20000) {
    return Error{ErrorCode::usage, "--examples must be between 100 and 20000"};
  }
  if (o.covariance) return write_covariance(o, context);
  TACHO_TRY(asked, asked_splits(o));
  if (o.rows && asked.published.empty()) {
    return Error{ErrorCode::usage,
                 "--rows writes one line per published job; add a split of published jobs"};
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
    TACHO_TRY(models, evaluate_own_models());
    if (!o.json) context.print(own_models_table(models, context.out) + "\n");
  }
  std::vector<TrainingRunScore> trainings;
  if (asked.cifar10) {
    trainings = evaluate_training_runs(published_training_runs(), kTrainingFolds, o.seed);
    if (!o.json) context.print(training_runs_table(trainings, context.out) + "\n");
  }
  std::vector<DecoderScore> decoders;
  if (asked.decoders) {
    TACHO_TRY(made, evaluate_decoder_models(o, context));
    decoders = std::move(made);
  }
  std::vector<TracedScore> traced;
  if (asked.traced) {
    TACHO_TRY(made, evaluate_traced_programs());
    traced = std::move(made);
    if (!o.json) context.print(traced_scores_table(traced, context.out) + "\n");
  }
  std::vector<SplitScore> scores;
  if (!asked.published.empty()) {
    TACHO_TRY(published, read_published_jobs(o.catalog));
    const Evaluation how{.folds = o.folds, .seed = o.seed, .effort = effort_of(o)};
    std::string rows = predicted_csv_headings();
    for (const SplitKind kind : asked.published) {
      std::size_t done = 0;
      TACHO_TRY(predicted, predict_held_out(published.examples, kind, how, [&] {
                  context.say(fmt::format("{}: {} of {}", kSplitKinds.of(kind), ++done, o.folds));
                }));
      scores.push_back(score(published.examples, kind, predicted));
      rows += predicted_csv_lines(published.examples, kind, predicted);
    }
    if (o.rows) TACHO_CHECK(write_file_atomically(*o.rows, rows));
    if (!o.json) context.print(published_scores_table(scores, context.out));
  }
  if (o.json) {
    Json json = evaluation_json(own, shipped, scores);
    json["cifar10_runs"] = to_json(trainings);
    json["decoders"] = decoder_scores_json(decoders);
    json["traced"] = traced_scores_json(traced);
    context.print(json_text(json, 1) + "\n");
  }
  return kSuccess;
}

}  // namespace

void add_evaluate_command(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("evaluate", "cross-validate predictions on held-out jobs");
  auto o = std::make_shared<EvaluateOptions>();
  command->add_option("--split", o->splits, "what to hold out, see below (repeatable)");
  command->add_option("--folds", o->folds, "number of cross-validation folds")
      ->capture_default_str();
  command
      ->add_option("--own-folds", o->own_folds,
                   "number of cross-validation folds for own and shipped runs")
      ->capture_default_str();
  command->add_option("--examples", o->examples, "published jobs to fit; fewer are faster")
      ->capture_default_str();
  command->add_option("--seed", o->seed, "random seed")->capture_default_str();
  command
      ->add_option("--catalog", o->catalog,
                   "folder of published jobs, such as data/catalog (default: built in)")
      ->type_name("FOLDER");
  command->add_option("--rows", o->rows, "CSV file to write, one line per published job")
      ->type_name("FILE");
  command->add_option("--regret", o->regret,
                      "score recommendations instead: own, shipped or published (repeatable)");
  command
      ->add_option("--covariance", o->covariance,
                   "JSON file to write instead, for script/tune-covariance")
      ->type_name("FILE");
  command->add_flag("--json", o->json, "print JSON");
  command
      ->add_flag("--include-disturbed", o->include_disturbed,
                 "include runs during which other programs used the machine")
      ->envname("TACHO_INCLUDE_DISTURBED");
  command->footer(
      "Splits: own (runs of this store), shipped (runs that come with Tacho), decoders (published\n"
      "language models), cifar10-runs (published trainings), traced (traced programs on other\n"
      "GPUs), unseen-family, unseen-gpu, unseen-generation, unseen-gpu-and-family,\n"
      "unseen-software, unseen-node-count, unseen-nodes, unseen-growth, unseen-source,\n"
      "unseen-model, unseen-both, unseen-job; all by default. The model is fitted again for every\n"
      "fold, which takes minutes; own, shipped, decoders, cifar10-runs and traced take seconds.");
  command->callback([o, &context] { context.run([&] { return evaluate_for_user(*o, context); }); });
}

}  // namespace tacho
