#pragma once

#include <optional>
#include <string>

#include "cli/context.h"
#include "cli/sweep_work.h"
#include "lab/compare_plan.h"
#include "study/study.h"

namespace tacho {

// Does what is left of a study, each step as the command of that name would. Killed at any moment,
// the next driver of the same row finds what there is: a step's row is written, with the key of
// its comparison, sweep or run, before that is begun.
class StudyDriver {
 public:
  StudyDriver(const Study& study, StudyRow row, Stores& stores, Context& context)
      : study_(study), row_(std::move(row)), stores_(stores), context_(context) {}

  // False if it was interrupted. What the machine lacks is no failure: the step's row says so.
  Result<bool> run();

 private:
  enum class End { done, stopped };
  using Row = std::optional<StudyStepRow>;

  Result<End> carry_out(const StudyStep& step, const Row& row);
  Result<End> carry_out(const ComparisonStep& work, const StudyStep& step, const Row& row);
  Result<End> carry_out(const GridStep& work, const StudyStep& step, const Row& row);
  Result<End> carry_out(const TrainingStep& work, const StudyStep& step, const Row& row);
  Result<End> carry_out(const ServingStep& work, const StudyStep& step, const Row& row);
  Result<End> carry_out(const ForecastStep& work, const StudyStep& step, const Row& row);
  Result<End> carry_out(const SurveyStep& work, const StudyStep& step, const Row& row);
  Result<End> carry_out(const MissingStep& work, const StudyStep& step, const Row& row);
  Result<End> carry_out(const SavingsStep& work, const StudyStep& step, const Row& row);
  Result<End> carry_out(const CostStep& work, const StudyStep& step, const Row& row);
  Result<End> tell_of_any(const std::vector<std::string>& names, const StudyStep& step);
  Result<void> bring_home(ComparePlan& plan);
  Result<void> check_made(const std::string& name) const;
  Result<End> begin_comparison(const ComparisonStep& work, StudyStepRow begun);
  Result<void> put(const StudyStepRow& row) { return stores_.runs.studies().put(row_.id, row); }

  const Study& study_;
  StudyRow row_;
  Stores& stores_;
  Context& context_;
  std::vector<AbsentThing> absent_;  // of the step under way
};

}  // namespace tacho
