#pragma once

#include <string>

#include "cli/compare_options.h"
#include "cli/load_options.h"
#include "study/study.h"

namespace tacho {

// Whether every step's words and grids make sense, before any of them is done.
Result<void> check_steps(const Study& study);

// ErrorCode::unavailable where this machine lacks what the step says it cannot do without.
Result<void> check_needs(const StudyStep& step);

// What a step's words ask for.
Result<CompareOptions> compare_options_of(const ComparisonStep& work);
Result<LoadOptions> load_options_of(const ServingStep& work, const std::string& url);

}  // namespace tacho
