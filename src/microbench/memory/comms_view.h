#pragma once

#include <string>
#include <vector>

#include "base/terminal.h"
#include "microbench/memory/comms_survey.h"

namespace tacho {

// Prints a survey of communication: one table per backend, the gradient exchange, and the line
// rates.
std::string survey_text(const bandwidth::CommsSurvey& survey, const Terminal& terminal);

// Lists surveys, one per line.
std::string surveys_table(const std::vector<bandwidth::CommsSurvey>& surveys,
                          const Terminal& terminal);

}  // namespace tacho
