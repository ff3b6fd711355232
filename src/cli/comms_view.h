#pragma once

#include <string>
#include <vector>

#include "bandwidth/comms_survey.h"
#include "base/terminal.h"

namespace tacho {

// A survey of communication: a table for each backend, the gradient's, and what they are held
// against.
std::string survey_text(const bandwidth::CommsSurvey& survey, const Terminal& terminal);

// Surveys that were made, one a line.
std::string surveys_table(const std::vector<bandwidth::CommsSurvey>& surveys,
                          const Terminal& terminal);

}  // namespace tacho
