#pragma once

#include <string>

#include "base/terminal.h"
#include "microbench/memory/survey.h"

namespace tacho {

// Shown for values that a busy machine made impossible.
inline constexpr const char* kUnmeasurable = "n/a";

// Prints a survey of memory: one table per level, and the ceilings.
std::string survey_text(const bandwidth::Survey& survey, const Terminal& terminal);

// Lists surveys, one per line.
std::string surveys_table(const std::vector<bandwidth::Survey>& surveys, const Terminal& terminal);

}  // namespace tacho
