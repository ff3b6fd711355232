#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "core/store/study_table.h"
#include "experiments/study/study.h"

namespace tacho {

// A step before it is executed.
struct PlannedStep {
  std::string name;
  std::string kind;     // "compare", as in the study file
  std::string amount;   // "10 variants, 5 to 8 runs of each, at most 110 s"
  std::string state;    // "done", "begun", "waiting", "not possible here"
  std::string why;      // reason if it is not possible
  std::string command;  // equivalent command; "" if the step only reports on others
};

// `row`: of the study to resume, if any. The steps must be valid (check_steps).
Result<std::vector<PlannedStep>> planned_steps(const Study& study,
                                               const std::optional<StudyRow>& row,
                                               StudyTable table);

std::string plan_text(const Study& study, const std::vector<PlannedStep>& steps,
                      const Terminal& terminal);
Json plan_json(const Study& study, const std::vector<PlannedStep>& steps);

}  // namespace tacho
