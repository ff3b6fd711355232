#include "experiments/study/study_driver.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacho {
namespace {

bool is_missing(const Error& error) {
  return error.code == ErrorCode::unavailable || error.code == ErrorCode::not_found;
}

}  // namespace

std::string StepRow::begun_as() const {
  return row_ && row_->state == StudyStepState::begun ? row_->record_key : "";
}

void StepRow::add_absent(AbsentThing thing) {
  if (std::ranges::find(absent_, thing) == absent_.end()) absent_.push_back(std::move(thing));
}

Result<void> StepRow::begin(const std::string& record_key) {
  return table_.put(study_, {step_.key, StudyStepState::begun, record_key, absent_});
}

Result<bool> StudyDriver::run() {
  for (std::size_t i = 0; i < study_.steps.size(); ++i) {
    const StudyStep& step = study_.steps[i];
    TACHO_TRY(row, table_.step(id_, step.key));
    if (row && row->state == StudyStepState::done) continue;
    say_(fmt::format("step {} of {}: {}", i + 1, study_.steps.size(), step.title));
    StepRow begun(table_, id_, step, row);
    const auto end = execute(step, begun);
    if (interrupted_()) return false;
    if (end.ok() && *end == StepEnd::stopped) return false;
    if (!end.ok() && !is_missing(end.error())) return end.error().in(step.name);
    if (end.ok()) {
      TACHO_TRY(begun_row, table_.step(id_, step.key));
      StudyStepRow done = begun_row.value_or(StudyStepRow{.step = step.key});
      done.state = StudyStepState::done;
      TACHO_CHECK(table_.put(id_, done));
    } else {
      say_(fmt::format("not possible here: {}", end.error().message));
      begun.add_absent({step.title, end.error().message});
      TACHO_CHECK(table_.put(id_, {step.key, StudyStepState::impossible, "", begun.absent()}));
    }
  }
  return true;
}

Result<StepEnd> StudyDriver::execute(const StudyStep& step, StepRow& row) {
  TACHO_CHECK(executor_.check_needs(step));
  const auto report_on = [&](const std::vector<std::string>& names) -> Result<StepEnd> {
    TACHO_CHECK(check_executed(names));
    TACHO_CHECK(row.begin(""));
    return StepEnd::done;
  };
  if (const auto* work = std::get_if<GridStep>(&step.work)) {
    return executor_.execute(*work, step, row);
  }
  if (const auto* work = std::get_if<ServingStep>(&step.work)) {
    TACHO_TRY(model, executed(work->model, "which trains the served model"));
    return executor_.execute(*work, model.record_key, row);
  }
  if (const auto* work = std::get_if<PredictionStep>(&step.work)) {
    return report_on(work->sweep.empty() ? std::vector<std::string>{} : std::vector{work->sweep});
  }
  if (const auto* work = std::get_if<MissingStep>(&step.work)) return report_on({work->of});
  if (const auto* work = std::get_if<SavingsStep>(&step.work)) return report_on(work->of);
  if (const auto* work = std::get_if<CostStep>(&step.work)) return report_on(work->of);
  if (const auto* work = std::get_if<ComparisonStep>(&step.work)) {
    return executor_.execute(*work, row);
  }
  if (const auto* work = std::get_if<TrainingStep>(&step.work)) {
    return executor_.execute(*work, row);
  }
  return executor_.execute(std::get<SurveyStep>(step.work), row);
}

Result<void> StudyDriver::check_executed(const std::vector<std::string>& names) {
  Result<void> last = {};
  for (const std::string& name : names) {
    const auto row = executed(name, "which this step reports on");
    if (row.ok()) return {};
    last = row.error();
  }
  return last;
}

Result<StudyStepRow> StudyDriver::executed(const std::string& name, std::string_view what) {
  const StudyStep& other = *find_step(study_, name);
  TACHO_TRY(row, table_.step(id_, other.key));
  if (row && row->state == StudyStepState::done) return *row;
  return Error{ErrorCode::unavailable,
               fmt::format("step '{}', {}, was not possible", other.title, what)};
}

}  // namespace tacho
