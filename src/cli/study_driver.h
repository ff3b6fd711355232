#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "cli/sweep_work.h"
#include "experiments/predictions/prediction_recorder.h"
#include "experiments/runner/compare_plan.h"
#include "experiments/study/study.h"

namespace tacho {

// Executes the remaining steps of a study. It can be killed at any time and resumed by another
// driver, because a step's row, with the key of its comparison, sweep or run, is written before the
// step starts.
class StudyDriver {
 public:
  StudyDriver(const Study& study, StudyRow row, Stores& stores, Context& context)
      : study_(study), row_(std::move(row)), stores_(stores), context_(context) {}

  // Returns false if interrupted. A missing requirement is not an error: it is stored with the
  // step.
  Result<bool> run();

 private:
  enum class End { done, stopped };
  using Row = std::optional<StudyStepRow>;

  Result<End> execute(const StudyStep& step, const Row& row);
  Result<End> execute(const ComparisonStep& work, const StudyStep& step, const Row& row);
  Result<End> execute(const GridStep& work, const StudyStep& step, const Row& row);
  Result<End> execute(const TrainingStep& work, const StudyStep& step, const Row& row);
  Result<End> execute(const ServingStep& work, const StudyStep& step, const Row& row);
  Result<End> execute(const PredictionStep& work, const StudyStep& step, const Row& row);
  Result<End> execute(const SurveyStep& work, const StudyStep& step, const Row& row);
  Result<End> execute(const MissingStep& work, const StudyStep& step, const Row& row);
  Result<End> execute(const SavingsStep& work, const StudyStep& step, const Row& row);
  Result<End> execute(const CostStep& work, const StudyStep& step, const Row& row);
  Result<End> report_on_any(const std::vector<std::string>& names, const StudyStep& step);
  Result<void> fall_back_to_loopback(ComparePlan& plan);
  Result<void> check_executed(const std::string& name) const;
  Result<End> begin_comparison(const ComparisonStep& work, StudyStepRow begun);
  [[nodiscard]] PredictionRecorder recorder() const {
    return {stores_.runs, stores_.home / "tacho.db",
            [this](const std::string& problem) { context_.warn(problem); }};
  }
  Result<void> put(const StudyStepRow& row) { return stores_.runs.studies().put(row_.id, row); }

  const Study& study_;
  StudyRow row_;
  Stores& stores_;
  Context& context_;
  std::vector<AbsentThing> absent_;  // of the current step
};

}  // namespace tacho
