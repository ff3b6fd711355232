#pragma once

#include "cli/context.h"
#include "cli/sweep_work.h"
#include "experiments/predictions/prediction_recorder.h"
#include "experiments/study/study_driver.h"

namespace tacho {

// Executes the steps of a study as the commands that they name would, and shows their progress.
class StudyExecutor final : public StepExecutor {
 public:
  StudyExecutor(const Study& study, Stores& stores, Context& context)
      : study_(study), stores_(stores), context_(context) {}

  Result<void> check_needs(const StudyStep& step) override;
  Result<StepEnd> execute(const ComparisonStep& work, StepRow& row) override;
  Result<StepEnd> execute(const GridStep& work, const StudyStep& step, StepRow& row) override;
  Result<StepEnd> execute(const TrainingStep& work, StepRow& row) override;
  Result<StepEnd> execute(const ServingStep& work, const std::string& model_key,
                          StepRow& row) override;
  Result<StepEnd> execute(const SurveyStep& work, StepRow& row) override;

 private:
  Result<StepEnd> begin_comparison(const ComparisonStep& work, const std::string& key,
                                   StepRow& row);
  [[nodiscard]] bool is_done(const std::string& run_key);
  [[nodiscard]] PredictionRecorder recorder() const {
    return {stores_.runs, stores_.home / "tacho.db",
            [this](const std::string& problem) { context_.warn(problem); }};
  }

  const Study& study_;
  Stores& stores_;
  Context& context_;
};

}  // namespace tacho
