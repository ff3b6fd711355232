#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "bandwidth/survey.h"

namespace tacho::bandwidth {

// Around a case's kernels run kernels with these in their names.
constexpr std::string_view kCaseBegins = "case_begins";
constexpr std::string_view kCaseEnds = "case_ends";

// What ncu is asked for, with commas between: what counts_of_cases() reads.
std::string gpu_metrics();

// The counts of each case, in order, from what 'ncu --csv --page raw --print-units base' wrote.
// Empty for a case without a kernel, as a copy by the driver's engines is.
Result<std::vector<Counts>> counts_of_cases(std::string_view ncu_log);

// To the survey's forms in memory, which are the cases in their order.
Result<void> add_counts(const std::vector<Counts>& of_cases, Survey& survey);

}  // namespace tacho::bandwidth
