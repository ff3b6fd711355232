#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json_object.h"
#include "base/terminal.h"
#include "store/study_table.h"
#include "study/study.h"

namespace tacho {

// What a step would do. Nothing is run to find out.
struct PlannedStep {
  std::string name;
  std::string kind;     // "compare", as in the study's file
  std::string amount;   // "10 variants, 5 to 8 runs of each, at most 110 s"
  std::string state;    // "done", "begun", "waiting", "not possible here"
  std::string why;      // it is not possible; else ""
  std::string command;  // that does the same by hand; "" where it only tells of other steps
};

// `row`: of the study that would go on, if it was begun. Its steps must make sense (check_steps).
Result<std::vector<PlannedStep>> planned_steps(const Study& study,
                                               const std::optional<StudyRow>& row,
                                               StudyTable table);

std::string plan_text(const Study& study, const std::vector<PlannedStep>& steps,
                      const Terminal& terminal);
Json plan_json(const Study& study, const std::vector<PlannedStep>& steps);

}  // namespace tacho
