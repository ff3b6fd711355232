#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "microbench/memory/survey.h"

namespace tacho::bandwidth {

// Marker kernels with these names run before and after the kernels of a case.
constexpr std::string_view kCaseBegins = "case_begins";
constexpr std::string_view kCaseEnds = "case_ends";

// Returns ncu's --metrics argument for counts_of_cases().
std::string gpu_metrics();

// Reads the counts of each case, in order, from the output of 'ncu --csv --page raw --print-units
// base'. A case without a kernel, such as a copy by the DMA engines, has no counts.
Result<std::vector<Counts>> counts_of_cases(std::string_view ncu_log);

// Adds the counts to the survey's measurements at level "memory", which are in the order of cases.
Result<void> add_counts(const std::vector<Counts>& of_cases, Survey& survey);

}  // namespace tacho::bandwidth
