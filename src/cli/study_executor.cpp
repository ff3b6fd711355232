#include "cli/study_executor.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/shell_words.h"
#include "base/split.h"
#include "cli/compare_options.h"
#include "cli/compare_view.h"
#include "cli/live_view.h"
#include "cli/load_work.h"
#include "cli/study_check.h"
#include "cli/study_environments.h"
#include "cli/study_survey.h"
#include "cli/sweep_live.h"
#include "cli/train_options.h"
#include "experiments/runner/compare_runner.h"
#include "experiments/runner/loopback_fallback.h"
#include "experiments/runner/sweep_plan.h"
#include "experiments/runner/worker_program.h"
#include "experiments/study/fill_in.h"
#include "serving/load/served_model.h"

namespace tacho {
namespace {

std::vector<std::string> names_in(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    for (const std::string_view name : split(list, ',')) names.emplace_back(name);
  }
  return names;
}

StepEnd end_of(const Comparison& comparison) {
  // It ended by itself with any result, not by Ctrl-C or a signal.
  const bool over =
      comparison.stopped != StopReason::none && comparison.stopped != StopReason::user;
  return over ? StepEnd::done : StepEnd::stopped;
}

StepEnd end_of(const RunRecord& record) {
  return record.outcome == Outcome::cancelled ? StepEnd::stopped : StepEnd::done;
}

}  // namespace

Result<void> StudyExecutor::check_needs(const StudyStep& step) { return tacho::check_needs(step); }

bool StudyExecutor::is_done(const std::string& run_key) {
  if (run_key.empty()) return false;
  const auto made = stores_.runs.find(run_key);
  return made.ok() && made->record.outcome == Outcome::ok;
}

Result<StepEnd> StudyExecutor::execute(const ComparisonStep& work, StepRow& row) {
  const std::string key = row.begun_as();
  if (key.empty()) return begin_comparison(work, new_run_key(), row);
  PredictionRecorder predictions = recorder();
  CompareRunner runner(stores_.home, stores_.runs, interrupts(), &predictions);
  const auto kept = runner.find(key);
  if (!kept.ok() && kept.error().code == ErrorCode::not_found) {
    return begin_comparison(work, key, row);
  }
  if (!kept.ok()) return kept.error();
  if (end_of(kept->comparison) == StepEnd::done) return StepEnd::done;
  CompareProgress progress(context_.err);
  const auto resumed = runner.resume(key, {}, progress);
  predictions.settle();
  if (!resumed.ok()) return resumed.error();
  return end_of(resumed->comparison);
}

Result<StepEnd> StudyExecutor::begin_comparison(const ComparisonStep& work, const std::string& key,
                                                StepRow& row) {
  TACHO_TRY(options, compare_options_of(work));
  const auto asked = names_in(options.environments);
  if (!asked.empty()) {
    TACHO_TRY(here, environments_here(asked, stores_.home, context_));
    for (const AbsentThing& thing : here.absent) row.add_absent(thing);
    if (here.usable.size() < 2 && asked.size() > 1) {
      return Error{ErrorCode::unavailable,
                   "fewer than two of these environments are available; a comparison needs two"};
    }
    options.environments = here.usable;
  }
  TACHO_TRY(plan, plan_of(options, read_train_words));
  TACHO_TRY(replaced, fall_back_to_loopback(plan));
  for (const AbsentThing& thing : replaced) row.add_absent(thing);
  plan.command = "tacho compare " + shell_quoted(work.words);
  TACHO_CHECK(row.begin(key));
  PredictionRecorder predictions = recorder();
  CompareRunner runner(stores_.home, stores_.runs, interrupts(), &predictions);
  CompareProgress progress(context_.err);
  const auto kept = runner.run(plan, progress, key);
  predictions.settle();
  if (!kept.ok()) return kept.error();
  return end_of(kept->comparison);
}

Result<StepEnd> StudyExecutor::execute(const GridStep& work, const StudyStep& step, StepRow& row) {
  const std::string begun = row.begun_as();
  const std::string key = begun.empty() ? new_run_key() : begun;
  auto sweep = stores_.sweeps.find(key);
  if (!sweep.ok()) {
    TACHO_TRY(grid, read_grid(work.grid, study_.file, run_option_names()));
    TACHO_TRY(runs, planned_runs(grid, step.place));
    SweepRunner runner(stores_.home, stores_.sweeps, interrupts());
    TACHO_CHECK(runner.check(settings_of(grid)));
    TACHO_CHECK(row.begin(key));
    sweep = runner.add(fmt::format("{}-{}", study_.name, step.name), flow_text(work.grid), runs,
                       settings_of(grid), key);
    if (!sweep.ok()) return sweep.error();
  }
  if (sweep->state == SweepState::cancelled) TACHO_CHECK(stores_.sweeps.reopen(sweep->id));
  TACHO_TRY(settings, settings_of(*sweep));
  TACHO_TRY(options, options_of(stores_.sweeps, *sweep));
  SweepLines view(context_.err, nullptr, options);
  TACHO_TRY(end, drive_sweep(stores_, *sweep, settings, nullptr, view));
  const bool over = end == SweepDriver::End::complete || end == SweepDriver::End::budget_spent;
  return over ? StepEnd::done : StepEnd::stopped;
}

Result<StepEnd> StudyExecutor::execute(const TrainingStep& work, StepRow& row) {
  if (is_done(row.begun_as())) return StepEnd::done;
  // An interrupted run starts again from the beginning, under a new key.
  TACHO_TRY(settings, read_train_words(work.words));
  TACHO_TRY(asked, train_request(settings));
  const RunOrder order = new_order(asked);
  Standing standing;
  standing.line_mbit = asked.line_mbit;
  TACHO_CHECK(row.begin(order.key));
  PredictionRecorder predictions = recorder();
  Runner runner = context_.runner(stores_.runs, stores_.home, &predictions);
  LiveView view(context_.err, LiveView::Options{.quiet = !context_.err.interactive()});
  auto finished = runner.run(order, standing, view);
  predictions.settle();
  if (!finished.ok()) return finished.error();
  return end_of(finished->record);
}

Result<StepEnd> StudyExecutor::execute(const ServingStep& work, const std::string& model_key,
                                       StepRow& row) {
  if (is_done(row.begun_as())) return StepEnd::done;
  TACHO_TRY(run, stores_.runs.find(model_key));
  TACHO_TRY(worker, find_worker());
  TACHO_TRY(served,
            ServedModel::start(worker, run.row.folder, work.infer, stores_.home / "studies"));
  TACHO_TRY(options, load_options_of(work, served.url()));
  options.quiet = !context_.err.interactive();
  const std::string key = new_run_key();
  TACHO_CHECK(row.begin(key));
  TACHO_TRY(made, make_load(options, key, stores_.runs, stores_.home, context_));
  return end_of(made.run.record);
}

// The survey has its own key; an interrupted one is incomplete and is repeated.
Result<StepEnd> StudyExecutor::execute(const SurveyStep& work, StepRow& row) {
  TACHO_TRY(survey, survey_memory(work.words, context_));
  if (!survey.complete) return StepEnd::stopped;
  TACHO_CHECK(row.begin(survey.key));
  return StepEnd::done;
}

}  // namespace tacho
