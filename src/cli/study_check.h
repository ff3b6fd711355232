#pragma once

#include <string>

#include "cli/compare_options.h"
#include "cli/load_options.h"
#include "experiments/study/study.h"

namespace tacho {

// Checks the arguments and grids of all steps before any of them is executed.
Result<void> check_steps(const Study& study);

// Returns ErrorCode::unavailable if the machine lacks a requirement of the step.
Result<void> check_needs(const StudyStep& step);

// Parse the arguments of a step.
Result<CompareRequest> compare_options_of(const ComparisonStep& work);
Result<LoadOptions> load_options_of(const ServingStep& work, const std::string& url);

}  // namespace tacho
