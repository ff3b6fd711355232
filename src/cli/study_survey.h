#pragma once

#include <string>
#include <vector>

#include "bandwidth/survey.h"
#include "cli/context.h"

namespace tacho {

// 'tacho lab memory' with these words, as a process of its own that lies on the shelf under its
// survey's key. Ctrl-C ends it; what it returns is then not complete, or an error.
Result<bandwidth::Survey> survey_memory(const std::vector<std::string>& words,
                                        const Context& context);

}  // namespace tacho
