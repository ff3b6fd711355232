#include "cli/study_driver.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/shell_words.h"
#include "cli/compare_options.h"
#include "cli/compare_view.h"
#include "cli/live_view.h"
#include "cli/load_work.h"
#include "cli/served_model.h"
#include "cli/study_check.h"
#include "cli/study_environments.h"
#include "cli/study_survey.h"
#include "cli/sweep_live.h"
#include "cli/train_options.h"
#include "experiments/runner/compare_runner.h"
#include "experiments/runner/sweep_plan.h"
#include "experiments/study/fill_in.h"

namespace tacho {
namespace {

std::vector<std::string> names_in(const std::vector<std::string>& lists) {
  std::vector<std::string> names;
  for (const std::string& list : lists) {
    std::size_t begin = 0;
    while (begin <= list.size()) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      names.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return names;
}

// True if it ended by itself with any result, not by Ctrl-C or a signal.
bool is_over(const Comparison& comparison) {
  return comparison.stopped != StopReason::none && comparison.stopped != StopReason::user;
}

bool is_missing(const Error& error) {
  return error.code == ErrorCode::unavailable || error.code == ErrorCode::not_found;
}

}  // namespace

Result<bool> StudyDriver::run() {
  catch_interrupts();
  outlive_readers();
  for (std::size_t i = 0; i < study_.steps.size(); ++i) {
    const StudyStep& step = study_.steps[i];
    TACHO_TRY(row, stores_.runs.studies().step(row_.id, step.key));
    if (row && row->state == StudyStepState::done) continue;
    context_.say(fmt::format("step {} of {}: {}", i + 1, study_.steps.size(), step.title));
    absent_.clear();
    const auto end = execute(step, row);
    if (interrupts() > 0) return false;
    if (end.ok()) {
      if (*end == End::stopped) return false;
      TACHO_TRY(begun, stores_.runs.studies().step(row_.id, step.key));
      StudyStepRow done = begun.value_or(StudyStepRow{.step = step.key});
      done.state = StudyStepState::done;
      TACHO_CHECK(put(done));
    } else if (is_missing(end.error())) {
      absent_.push_back({step.title, end.error().message});
      context_.say(fmt::format("not possible here: {}", end.error().message));
      TACHO_CHECK(put({step.key, StudyStepState::impossible, "", absent_}));
    } else {
      return end.error().in(step.name);
    }
  }
  return true;
}

Result<StudyDriver::End> StudyDriver::execute(const StudyStep& step, const Row& row) {
  TACHO_CHECK(check_needs(step));
  return std::visit([&](const auto& work) { return execute(work, step, row); }, step.work);
}

Result<StudyDriver::End> StudyDriver::execute(const ComparisonStep& work, const StudyStep& step,
                                              const Row& row) {
  const bool begun = row && row->state == StudyStepState::begun;
  if (!begun) return begin_comparison(work, {.step = step.key, .record_key = new_run_key()});
  PredictionRecorder predictions = recorder();
  CompareRunner runner(stores_.home, stores_.runs, interrupts(), &predictions);
  const auto kept = runner.find(row->record_key);
  if (!kept.ok() && kept.error().code == ErrorCode::not_found) {
    return begin_comparison(work, *row);
  }
  if (!kept.ok()) return kept.error();
  if (is_over(kept->comparison)) return End::done;
  CompareProgress progress(context_.err);
  const auto resumed = runner.resume(row->record_key, {}, progress);
  predictions.settle();
  if (!resumed.ok()) return resumed.error();
  return is_over(resumed->comparison) ? End::done : End::stopped;
}

// If separate machines cannot be simulated, runs their processes on this machine's loopback: the
// same data is exchanged at another speed, and the report says so.
Result<void> StudyDriver::fall_back_to_loopback(ComparePlan& plan) {
  for (PlannedVariant& variant : plan.variants) {
    auto* spec = std::get_if<RunSpec>(&variant.what);
    if (spec == nullptr || !variant.line_mbit) continue;
    DistSpec& dist = spec->dist;
    Standing standing;
    standing.line_mbit = variant.line_mbit;
    TACHO_TRY(launch, plan_launch(dist, standing));
    const auto possible = check_possible(launch);
    if (possible.ok()) continue;
    if (possible.error().code != ErrorCode::unavailable) return possible.error();
    const AbsentThing thing{
        fmt::format("links of {} Mbit/s", *variant.line_mbit),
        possible.error().message + ". The processes used this machine's loopback instead"};
    if (std::ranges::find(absent_, thing) == absent_.end()) absent_.push_back(thing);
    dist.ranks_per_node *= dist.nodes;
    dist.nodes = 1;
    if (dist.backend == DistBackend::automatic) dist.backend = DistBackend::gloo;
    variant.line_mbit.reset();
  }
  return {};
}

Result<StudyDriver::End> StudyDriver::begin_comparison(const ComparisonStep& work,
                                                       StudyStepRow begun) {
  TACHO_TRY(options, compare_options_of(work));
  const auto asked = names_in(options.environments);
  if (!asked.empty()) {
    TACHO_TRY(here, environments_here(asked, stores_.home, context_));
    absent_ = here.absent;
    if (here.usable.size() < 2 && asked.size() > 1) {
      return Error{ErrorCode::unavailable,
                   "fewer than two of these environments are available; a comparison needs two"};
    }
    options.environments = here.usable;
  }
  TACHO_TRY(plan, plan_of(options, read_train_words));
  TACHO_CHECK(fall_back_to_loopback(plan));
  plan.command = "tacho compare " + shell_quoted(work.words);
  begun.absent = absent_;
  TACHO_CHECK(put(begun));
  PredictionRecorder predictions = recorder();
  CompareRunner runner(stores_.home, stores_.runs, interrupts(), &predictions);
  CompareProgress progress(context_.err);
  const auto kept = runner.run(plan, progress, begun.record_key);
  predictions.settle();
  if (!kept.ok()) return kept.error();
  return is_over(kept->comparison) ? End::done : End::stopped;
}

Result<StudyDriver::End> StudyDriver::execute(const GridStep& work, const StudyStep& step,
                                              const Row& row) {
  const bool begun = row && row->state == StudyStepState::begun;
  const std::string key = begun ? row->record_key : new_run_key();
  auto sweep = stores_.sweeps.find(key);
  if (!sweep.ok()) {
    TACHO_TRY(grid, read_grid(work.grid, study_.file, run_option_names()));
    TACHO_TRY(runs, planned_runs(grid, step.place));
    SweepRunner runner(stores_.home, stores_.sweeps, interrupts());
    TACHO_CHECK(runner.check(settings_of(grid)));
    TACHO_CHECK(put({.step = step.key, .record_key = key, .absent = {}}));
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
  return over ? End::done : End::stopped;
}

Result<StudyDriver::End> StudyDriver::execute(const TrainingStep& work, const StudyStep& step,
                                              const Row& row) {
  if (row && row->state == StudyStepState::begun) {
    const auto made = stores_.runs.find(row->record_key);
    if (made.ok() && made->record.outcome == Outcome::ok) return End::done;
  }
  // An interrupted run starts again from the beginning, under a new key.
  TACHO_TRY(settings, read_train_words(work.words));
  TACHO_TRY(asked, train_request(settings));
  const RunOrder order = new_order(asked);
  Standing standing;
  standing.line_mbit = asked.line_mbit;
  TACHO_CHECK(put({.step = step.key, .record_key = order.key, .absent = {}}));
  PredictionRecorder predictions = recorder();
  Runner runner = context_.runner(stores_.runs, stores_.home, &predictions);
  LiveView view(context_.err, LiveView::Options{.quiet = !context_.err.interactive()});
  auto finished = runner.run(order, standing, view);
  predictions.settle();
  if (!finished.ok()) return finished.error();
  return finished->record.outcome == Outcome::cancelled ? End::stopped : End::done;
}

Result<StudyDriver::End> StudyDriver::execute(const ServingStep& work, const StudyStep& step,
                                              const Row& row) {
  if (row && row->state == StudyStepState::begun) {
    const auto made = stores_.runs.find(row->record_key);
    if (made.ok() && made->record.outcome == Outcome::ok) return End::done;
  }
  const StudyStep& trained = *find_step(study_, work.model);
  TACHO_TRY(model, stores_.runs.studies().step(row_.id, trained.key));
  if (!model || model->state != StudyStepState::done) {
    return Error{
        ErrorCode::unavailable,
        fmt::format("step '{}', which trains the served model, was not possible", trained.title)};
  }
  TACHO_TRY(run, stores_.runs.find(model->record_key));
  TACHO_TRY(served, ServedModel::start(run.row.folder, work.infer, stores_.home / "studies"));
  TACHO_TRY(options, load_options_of(work, served.url()));
  options.quiet = !context_.err.interactive();
  const std::string key = new_run_key();
  TACHO_CHECK(put({.step = step.key, .record_key = key, .absent = {}}));
  TACHO_TRY(made, make_load(options, key, stores_.runs, stores_.home, context_));
  return made.run.record.outcome == Outcome::cancelled ? End::stopped : End::done;
}

Result<StudyDriver::End> StudyDriver::execute(const PredictionStep& work, const StudyStep& step,
                                              const Row& /*row*/) {
  if (!work.sweep.empty()) TACHO_CHECK(check_executed(work.sweep));
  TACHO_CHECK(put({.step = step.key, .record_key = "", .absent = {}}));
  return End::done;
}

Result<void> StudyDriver::check_executed(const std::string& name) const {
  const StudyStep& other = *find_step(study_, name);
  TACHO_TRY(row, stores_.runs.studies().step(row_.id, other.key));
  if (row && row->state == StudyStepState::done) return {};
  return Error{ErrorCode::unavailable,
               fmt::format("step '{}', which this step reports on, was not possible", other.title)};
}

// The survey has its own key; an interrupted one is incomplete and is repeated.
Result<StudyDriver::End> StudyDriver::execute(const SurveyStep& work, const StudyStep& step,
                                              const Row& /*row*/) {
  TACHO_TRY(survey, survey_memory(work.words, context_));
  if (!survey.complete) return End::stopped;
  TACHO_CHECK(put({.step = step.key, .record_key = survey.key, .absent = {}}));
  return End::done;
}

Result<StudyDriver::End> StudyDriver::execute(const MissingStep& work, const StudyStep& step,
                                              const Row& /*row*/) {
  TACHO_CHECK(check_executed(work.of));
  TACHO_CHECK(put({.step = step.key, .record_key = "", .absent = {}}));
  return End::done;
}

Result<StudyDriver::End> StudyDriver::execute(const SavingsStep& work, const StudyStep& step,
                                              const Row& /*row*/) {
  return report_on_any(work.of, step);
}

Result<StudyDriver::End> StudyDriver::execute(const CostStep& work, const StudyStep& step,
                                              const Row& /*row*/) {
  return report_on_any(work.of, step);
}

// Needs at least one executed step; the sections of the others say why they are missing.
Result<StudyDriver::End> StudyDriver::report_on_any(const std::vector<std::string>& names,
                                                    const StudyStep& step) {
  Result<void> made = {};
  for (const std::string& name : names) {
    made = check_executed(name);
    if (made.ok()) break;
  }
  if (!made.ok()) return made.error();
  TACHO_CHECK(put({.step = step.key, .record_key = "", .absent = {}}));
  return End::done;
}

}  // namespace tacho
