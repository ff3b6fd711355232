#pragma once

#include <string>

#include "bandwidth/survey.h"
#include "base/terminal.h"

namespace tacho {

// A survey of memory as tables, one for each level, and what they are held against.
std::string survey_text(const bandwidth::Survey& survey, const Terminal& terminal);

// Surveys that were made, one a line.
std::string surveys_table(const std::vector<bandwidth::Survey>& surveys, const Terminal& terminal);

}  // namespace tacho
