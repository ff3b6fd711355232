#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/store/study_table.h"
#include "experiments/study/study.h"

namespace tacho {

enum class StepEnd { done, stopped };

// The row of the step that is being executed. A step's row is written before its comparison, sweep
// or run is created, so that another driver finds it again after a kill.
class StepRow {
 public:
  StepRow(StudyTable table, std::int64_t study, const StudyStep& step,
          std::optional<StudyStepRow> row)
      : table_(table), study_(study), step_(step), row_(std::move(row)) {}

  // Returns the key under which an earlier driver began the step; "" if none did.
  [[nodiscard]] std::string begun_as() const;
  // Keeps something that this machine lacks, for the report.
  void add_absent(AbsentThing thing);
  [[nodiscard]] const std::vector<AbsentThing>& absent() const { return absent_; }
  Result<void> begin(const std::string& record_key);

 private:
  StudyTable table_;
  std::int64_t study_;
  const StudyStep& step_;
  std::optional<StudyStepRow> row_;
  std::vector<AbsentThing> absent_;
};

// Executes the steps that measure something.
class StepExecutor {
 public:
  virtual ~StepExecutor() = default;
  virtual Result<void> check_needs(const StudyStep& step) = 0;
  virtual Result<StepEnd> execute(const ComparisonStep& work, StepRow& row) = 0;
  virtual Result<StepEnd> execute(const GridStep& work, const StudyStep& step, StepRow& row) = 0;
  virtual Result<StepEnd> execute(const TrainingStep& work, StepRow& row) = 0;
  // `model_key`: of the training whose model is served.
  virtual Result<StepEnd> execute(const ServingStep& work, const std::string& model_key,
                                  StepRow& row) = 0;
  virtual Result<StepEnd> execute(const SurveyStep& work, StepRow& row) = 0;
};

// Executes the remaining steps of a study. It can be killed at any time and resumed by another
// driver.
class StudyDriver {
 public:
  // `interrupted` returns true after Ctrl-C. `say` shows progress.
  StudyDriver(const Study& study, std::int64_t id, StudyTable table, StepExecutor& executor,
              std::function<bool()> interrupted, std::function<void(std::string_view)> say)
      : study_(study),
        id_(id),
        table_(table),
        executor_(executor),
        interrupted_(std::move(interrupted)),
        say_(std::move(say)) {}

  // Returns false if interrupted. A missing requirement is not an error: it is stored with the
  // step.
  Result<bool> run();

 private:
  Result<StepEnd> execute(const StudyStep& step, StepRow& row);
  // Checks that at least one of these steps was executed; the sections of the others say why they
  // are missing.
  Result<void> check_executed(const std::vector<std::string>& names);
  Result<StudyStepRow> executed(const std::string& name, std::string_view what);

  const Study& study_;
  std::int64_t id_;
  StudyTable table_;
  StepExecutor& executor_;
  std::function<bool()> interrupted_;
  std::function<void(std::string_view)> say_;
};

}  // namespace tacho
