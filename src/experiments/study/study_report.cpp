#include "experiments/study/study_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/file.h"
#include "base/shell_words.h"
#include "base/units.h"
#include "base/version.h"
#include "core/record/statistics.h"
#include "experiments/study/circumstances.h"
#include "experiments/study/fill_in.h"
#include "experiments/study/sections.h"
#include "predict/rent/catalog.h"

namespace tacho {
namespace {

class ReportMaker {
 public:
  ReportMaker(const Study& study, const StudyRow& row, StudyStores stores,
              const StudyPredictors& predictors)
      : study_(study), row_(row), stores_(stores), predictors_(predictors) {}

  Result<Document> make() {
    Document document{.title = study_.title, .opening = {}, .sections = {}, .footer = {}};
    for (const StudyStep& step : study_.steps) {
      TACHO_TRY(section, section_of(step));
      document.sections.push_back(std::move(section));
    }
    if (!absent_.empty()) {
      document.sections.push_back(
          {.title = "Not available on this machine", .blocks = {AbsentList{absent_}}});
    }
    document.sections.push_back(commands());
    if (!study_.about.empty()) document.opening.emplace_back(Paragraph{study_.about});
    FactList facts = circumstances_.facts();
    facts.facts.emplace_back("started", fmt::format("{} {} UTC", row_.started.substr(0, 10),
                                                    row_.started.substr(11, 5)));
    document.opening.emplace_back(std::move(facts));
    document.footer = fmt::format("study {} ({}), written by tacho {} ({})", study_.name,
                                  kStudyLevels.of(study_.level), kVersion, kCommit);
    return document;
  }

 private:
  Result<DocumentSection> section_of(const StudyStep& step) {
    DocumentSection section{.title = step.title, .blocks = {}};
    if (!step.about.empty()) section.blocks.emplace_back(Paragraph{step.about});
    TACHO_TRY(row, stores_.runs.studies().step(row_.id, step.key));
    if (!row) {
      section.blocks.emplace_back(Paragraph{"Not executed yet.", true});
      return section;
    }
    for (AbsentThing& thing : row->absent) {
      thing.why = without_home(std::move(thing.why));
      if (std::ranges::find(absent_, thing) == absent_.end()) absent_.push_back(thing);
    }
    if (row->state == StudyStepState::impossible) {
      section.blocks.emplace_back(AbsentList{row->absent});
      return section;
    }
    if (row->state == StudyStepState::begun) {
      section.blocks.emplace_back(Paragraph{"Started but not complete.", true});
    }
    auto blocks =
        std::visit([&](const auto& work) { return blocks_of(work, step, *row); }, step.work);
    // Started, but nothing is in the store yet.
    const bool nothing_yet = !blocks.ok() && blocks.error().code == ErrorCode::not_found &&
                             row->state == StudyStepState::begun;
    if (nothing_yet) return section;
    // A build may lack predictions; a report of the same store by another build has them.
    if (!blocks.ok() && blocks.error().code == ErrorCode::unavailable) {
      const AbsentThing thing{step.title, blocks.error().message};
      absent_.push_back(thing);
      section.blocks.emplace_back(AbsentList{{thing}});
      return section;
    }
    if (!blocks.ok()) return blocks.error().in(step.name);
    std::ranges::move(*blocks, std::back_inserter(section.blocks));
    return section;
  }

  Result<std::vector<Block>> blocks_of(const ComparisonStep& /*work*/, const StudyStep& step,
                                       const StudyStepRow& row) {
    TACHO_TRY(stored, stores_.runs.comparisons().find(row.record_key));
    TACHO_TRY(comparison, comparison_from_json(stored.comparison));
    for (const ComparedRun& run : comparison.runs) {
      const auto record = stores_.runs.find(run.run);
      if (!record.ok()) continue;  // removed in the meantime
      circumstances_.add(record->record);
    }
    return comparison_blocks(comparison, step.show);
  }

  Result<std::vector<Block>> blocks_of(const GridStep& work, const StudyStep& step,
                                       const StudyStepRow& row) {
    TACHO_TRY(sweep, stores_.sweeps.find(row.record_key));
    TACHO_TRY(tasks, stores_.sweeps.tasks(sweep.id));
    TACHO_TRY(results, stores_.sweeps.results(sweep.id));
    std::vector<SweptRun> runs;
    for (SweepTask& task : tasks) {
      SweptRun run{.task = std::move(task), .run = {}};
      const auto found = results.find(run.task.result_key.value_or(""));
      if (found != results.end()) {
        run.run = found->second;
        TACHO_TRY(record, stores_.runs.find(found->first));
        circumstances_.add(record.record);
      }
      runs.push_back(std::move(run));
    }
    return sweep_blocks(runs, step.show, work.picture);
  }

  Result<std::vector<Block>> blocks_of(const TrainingStep& /*work*/, const StudyStep& step,
                                       const StudyStepRow& row) {
    return single_run(step, row);
  }
  Result<std::vector<Block>> blocks_of(const ServingStep& /*work*/, const StudyStep& step,
                                       const StudyStepRow& row) {
    return single_run(step, row);
  }
  Result<std::vector<Block>> single_run(const StudyStep& step, const StudyStepRow& row) {
    TACHO_TRY(run, stores_.runs.find(row.record_key));
    circumstances_.add(run.record);
    return run_blocks(run.record, step.show);
  }

  Result<std::vector<Block>> blocks_of(const PredictionStep& work, const StudyStep& /*step*/,
                                       const StudyStepRow& /*row*/) {
    if (work.sweep.empty()) {
      TACHO_TRY(scores, predictors_.corpus(work.folds));
      return corpus_blocks(scores);
    }
    TACHO_TRY(runs, runs_of_sweep(*find_step(study_, work.sweep)));
    TACHO_TRY(held_out, predict_held_out(runs, work.folds, predictors_.learn));
    return prediction_blocks(held_out, work.target_top1);
  }

  Result<std::vector<Block>> blocks_of(const SurveyStep& /*work*/, const StudyStep& /*step*/,
                                       const StudyStepRow& row) {
    TACHO_TRY(text, read_file(stores_.home / "lab" / (row.record_key + ".json")));
    TACHO_TRY(json, parse_json(text));
    TACHO_TRY(survey, bandwidth::survey_from_json(json));
    return survey_blocks(survey);
  }

  Result<std::vector<Block>> blocks_of(const MissingStep& work, const StudyStep& /*step*/,
                                       const StudyStepRow& /*row*/) {
    TACHO_TRY(comparison, comparison_of(work.of));
    std::vector<ScaledVariant> variants;
    for (const Variant& variant : comparison.variants) {
      variants.push_back({.name = variant.name, .ranks = 1, .runs = {}});
    }
    for (const ComparedRun& run : comparison.runs) {
      const auto found = stores_.runs.find(run.run);
      if (!counts(comparison, run) || !found.ok()) continue;
      ScaledVariant& variant = variants.at(run.variant);
      variant.ranks = found->record.order.spec.dist.ranks();
      if (const auto parts = step_parts_of(found->record)) variant.runs.push_back(*parts);
    }
    std::optional<double> independent;
    if (!work.independent.empty()) {
      TACHO_TRY(seconds, mean_step_of_sweep(*find_step(study_, work.independent)));
      independent = seconds;
    }
    return missing_blocks(variants, independent);
  }

  Result<std::vector<Block>> blocks_of(const SavingsStep& work, const StudyStep& /*step*/,
                                       const StudyStepRow& /*row*/) {
    std::vector<ComparedChange> changes;
    for (const std::string& name : work.of) {
      auto comparison = comparison_of(name);
      // A step that was not possible has a section that explains it.
      if (!comparison.ok() && comparison.error().code == ErrorCode::not_found) continue;
      if (!comparison.ok()) return comparison.error();
      changes.push_back({find_step(study_, name)->title, *std::move(comparison)});
    }
    return savings_blocks(changes);
  }

  Result<std::vector<Block>> blocks_of(const CostStep& work, const StudyStep& /*step*/,
                                       const StudyStepRow& /*row*/) {
    std::vector<PricedTraining> trainings;
    for (const std::string& name : work.of) {
      const StudyStep& step = *find_step(study_, name);
      TACHO_TRY(row, stores_.runs.studies().step(row_.id, step.key));
      if (!row || row->state != StudyStepState::done) continue;
      TACHO_TRY(run, stores_.runs.find(row->record_key));
      trainings.push_back({step.title, std::move(run.record)});
    }
    TACHO_TRY(instances, Catalog(stores_.home).instances());
    return cost_blocks(trainings, instances);
  }

  // Returns ErrorCode::not_found if the step was not possible or not started.
  Result<Comparison> comparison_of(const std::string& step) {
    TACHO_TRY(row, stores_.runs.studies().step(row_.id, find_step(study_, step)->key));
    if (!row || row->state == StudyStepState::impossible) {
      return Error{ErrorCode::not_found, fmt::format("step '{}' was not executed", step)};
    }
    TACHO_TRY(stored, stores_.runs.comparisons().find(row->record_key));
    return comparison_from_json(stored.comparison);
  }

  Result<std::optional<double>> mean_step_of_sweep(const StudyStep& step) {
    TACHO_TRY(runs, runs_of_sweep(step));
    std::vector<double> seconds;
    for (const JudgedRun& run : runs) {
      if (const auto parts = step_parts_of(run.record)) seconds.push_back(parts->seconds);
    }
    return seconds.empty() ? std::nullopt : std::optional(mean(seconds));
  }

  Result<std::vector<JudgedRun>> runs_of_sweep(const StudyStep& step) {
    std::vector<JudgedRun> runs;
    TACHO_TRY(row, stores_.runs.studies().step(row_.id, step.key));
    if (!row || row->record_key.empty()) return runs;
    TACHO_TRY(sweep, stores_.sweeps.find(row->record_key));
    TACHO_TRY(tasks, stores_.sweeps.tasks(sweep.id, SweepTaskState::done));
    std::vector<const Configuration*> configurations;
    for (const SweepTask& task : tasks) configurations.push_back(&task.configuration);
    std::vector<std::string> options = options_that_differ(configurations);
    std::erase(options, "seed");
    for (const SweepTask& task : tasks) {
      TACHO_TRY(run, stores_.runs.find(task.result_key.value_or("")));
      runs.push_back({to_text(task.configuration, options), std::move(run.record)});
    }
    return runs;
  }

  // Replaced because readers of the report have a different home.
  [[nodiscard]] std::string without_home(std::string text) const {
    return replaced(text, stores_.home.string(), "$TACHO_HOME");
  }

  [[nodiscard]] DocumentSection commands() const {
    CommandLines lines;
    lines.lines.push_back(
        fmt::format("tacho study {} --{}", study_.name, kStudyLevels.of(study_.level)));
    DocumentSection section{.title = "Commands", .blocks = {std::move(lines)}};
    CommandLines steps;
    for (const StudyStep& step : study_.steps) {
      if (std::string line = command_of(step); !line.empty()) {
        steps.lines.push_back(without_home(std::move(line)));
      }
    }
    section.blocks.emplace_back(
        Paragraph{"executes the whole study, or resumes it after an interruption. The single "
                  "steps are:"});
    section.blocks.emplace_back(std::move(steps));
    if (circumstances_.tensorboard_runs() > 0) {
      section.blocks.emplace_back(
          Paragraph{fmt::format("{} of the runs wrote TensorBoard files; show them with:",
                                circumstances_.tensorboard_runs())});
      section.blocks.emplace_back(
          CommandLines{{"tensorboard --logdir \"${TACHO_HOME:-$HOME/.local/share/tacho}\"/runs"}});
    }
    return section;
  }

  const Study& study_;
  const StudyRow& row_;
  StudyStores stores_;
  const StudyPredictors& predictors_;
  Circumstances circumstances_;
  std::vector<AbsentThing> absent_;
};

}  // namespace

std::string command_of(const StudyStep& step) {
  if (const auto* work = std::get_if<ComparisonStep>(&step.work)) {
    return "tacho compare " + shell_quoted(work->words);
  }
  if (const auto* work = std::get_if<TrainingStep>(&step.work)) {
    return "tacho train " + shell_quoted(work->words);
  }
  if (const auto* work = std::get_if<GridStep>(&step.work)) {
    return fmt::format("echo {} > grid.yaml; tacho sweep grid.yaml",
                       shell_quoted(flow_text(work->grid)));
  }
  if (const auto* work = std::get_if<ServingStep>(&step.work)) {
    return fmt::format("tacho infer RUN {} & tacho load http://127.0.0.1:8500 {}",
                       shell_quoted(work->infer), shell_quoted(work->load));
  }
  if (const auto* work = std::get_if<SurveyStep>(&step.work)) {
    return "tacho bench memory " + shell_quoted(work->words);
  }
  return "";
}

Result<Document> study_report(const Study& study, const StudyRow& row, StudyStores stores,
                              const StudyPredictors& predictors) {
  return ReportMaker(study, row, stores, predictors).make();
}

}  // namespace tacho
