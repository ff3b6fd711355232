#pragma once

#include <string>
#include <vector>

#include "cli/context.h"
#include "microbench/memory/survey.h"

namespace tacho {

// Runs 'tacho bench memory' with these arguments as a separate process, which stores the survey.
// Ctrl-C ends it; the survey is then incomplete, or an error is returned.
Result<bandwidth::Survey> survey_memory(const std::vector<std::string>& words,
                                        const Context& context);

}  // namespace tacho
